// The election of a pivot by subgroups: each finds its own best row and publishes it, and after one barrier every
// invocation reads the same winner. SLOTS is the workgroup over the smallest subgroup.
var<private> group: u32;
var<private> groups: u32;
var<private> lane: u32;
var<private> lanes: u32;

@compute @workgroup_size(WORKGROUP)
fn step_subgroups(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) invocation: u32,
    @builtin(subgroup_size) size: u32,
) {
    group = subgroup;
    groups = subgroups;
    lane = invocation;
    lanes = size;
    step(workgroup_index(id, count), local);
}

fn subgroup_best(mine: Candidate) -> Candidate {
    let high = subgroupMax(mine.rank.x);
    var low = 0u;
    if (RANK_WORDS > 1u) {
        low = subgroupMax(select(0u, mine.rank.y, mine.rank.x == high));
    }
    let rank = vec2<u32>(high, low);
    return Candidate(rank, subgroupMin(select(NOWHERE, mine.place, all(mine.rank == rank))));
}

fn group_best(local: u32, mine: Candidate) -> Candidate { return subgroup_best(mine); }
fn group_slot() -> u32 { return group; }

fn publish(slot: u32, best: Candidate) {
    if (lane == 0u) {
        elected[slot] = best;
    }
}

fn winner_of(parity: u32) -> Winner {
    var mine = Candidate(vec2<u32>(0u), NOWHERE);
    var slot = NOWHERE;
    for (var i = lane; i < groups; i += lanes) {
        let candidate = elected[parity + i];
        if (better(candidate, mine)) {
            mine = candidate;
            slot = parity + i;
        }
    }
    let best = subgroup_best(mine);
    return Winner(best, subgroupMin(select(NOWHERE, slot, mine.place == best.place)));
}
