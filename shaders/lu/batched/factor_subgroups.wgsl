// P A = L U of many systems (lu/batched/factor.wgsl), pivots elected by subgroups: one barrier a column. Where a subgroup has
// several teams (SHARED = 1), by shuffles inside a team; else by reductions, and each subgroup of a team publishes a row.
// Subgroups that are not full elect through workgroup memory: the same rows, since a best row is the best in any order.

@compute @workgroup_size(WORKGROUP)
fn factor_subgroups(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) within: u32,
) {
    let full = subgroups_are_full(subgroups, size);
    let together = select(0u, min(size, TEAM), full);
    factor(workgroup_index(id, count), select(local, subgroup * size + within, full), together);
}

fn best_of_group(team: u32, lane: u32, mine: Candidate, together: u32) -> Candidate {
    if (together == 0u) {
        return elect(team, lane, mine);
    }
    if (SHARED == 1u) {
        var best = mine;
        for (var apart = 1u; apart < TEAM; apart = apart * 2u) {
            var other = best;
            other.rank.x = subgroupShuffleXor(best.rank.x, apart);
            if (RANK_WORDS > 1u) {
                other.rank.y = subgroupShuffleXor(best.rank.y, apart);
            }
            other.place = subgroupShuffleXor(best.place, apart);
            best = better_of(other, best);
        }
        return best;
    }
    // Each reduction stands by itself: behind && it would be in a branch of its own, and take five times as long.
    var best = Candidate(vec2<u32>(subgroupMax(mine.rank.x), 0u), NOWHERE);
    var leads = mine.rank.x == best.rank.x;
    if (RANK_WORDS > 1u) {
        best.rank.y = subgroupMax(select(0u, mine.rank.y, leads));
        leads = leads & (mine.rank.y == best.rank.y);
    }
    best.place = subgroupMin(select(NOWHERE, mine.place, leads));
    return best;
}

fn groups(together: u32) -> u32 { return select(TEAM / max(together, 1u), 1u, together == 0u); }
fn group_of(lane: u32, together: u32) -> u32 { return select(lane / max(together, 1u), 0u, together == 0u); }
fn is_first_of_group(lane: u32, together: u32) -> bool { return lane % select(together, TEAM, together == 0u) == 0u; }
