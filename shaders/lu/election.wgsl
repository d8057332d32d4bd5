// The election of a row by subgroups: each finds its own best and publishes it, and after one barrier every invocation reads the same
// winner. SLOTS is the workgroup over the smallest subgroup, TURNS how many columns' candidates are kept, MOST_FEW how many slots
// are few.
var<private> group: u32;
var<private> lane: u32;
var<private> lanes: u32;

// Each reduction stands by itself: behind && it would be in a branch of its own, and take five times as long.
fn subgroup_best(mine: Candidate) -> bool {
    let highest = subgroupMax(mine.rank.x);
    var best = mine.rank.x == highest;
    if (RANK_WORDS > 1u) {
        let lower = subgroupMax(select(0u, mine.rank.y, best));
        best = best && mine.rank.y == lower;
    }
    let first = subgroupMin(select(NOWHERE, mine.place, best));
    return best && mine.place == first;
}

// Whether it is the best of its subgroup; where none is a row at all, all are.
fn is_elected(local: u32, mine: Candidate) -> bool { return subgroup_best(mine); }

// All slots, where they are few, whose search is written out. Else fewer, and unused.
const FEW: u32 = SLOTS / (1u + SLOTS / (MOST_FEW + 1u));

// The ranks of few candidates, apart from what else is known of them.
var<workgroup> ranks: array<u32, RANK_WORDS * TURNS * FEW>;
const LOWER: u32 = (RANK_WORDS - 1u) * TURNS * FEW;

fn elect(slot: u32, mine: Candidate) {
    elected[slot] = mine;
    if (SLOTS == FEW) {
        ranks[slot] = mine.rank.x;
        if (RANK_WORDS > 1u) {
            ranks[LOWER + slot] = mine.rank.y;
        }
    }
}

// The slot of the best of SLOTS of them from `first` on, where they are few: who asks does so by itself.
fn best_of_few(first: u32) -> u32 {
    var highest = 0u;
    for (var i = 0u; i < FEW; i++) { // unrolled
        highest = max(highest, ranks[first + i]);
    }
    var lower = 0u;
    if (RANK_WORDS > 1u) {
        for (var i = 0u; i < FEW; i++) { // unrolled
            lower = max(lower, select(0u, ranks[LOWER + first + i], ranks[first + i] == highest));
        }
    }
    var slot = 0u;
    var count = 0u;
    for (var i = 0u; i < FEW; i++) { // unrolled
        let is_best = ranks[first + i] == highest && (RANK_WORDS == 1u || ranks[LOWER + first + i] == lower);
        slot += select(0u, i, is_best);
        count += u32(is_best);
    }
    if (count > 1u) {
        slot = 0u;
        for (var i = 1u; i < FEW; i++) {
            if (better(elected[first + i], elected[first + slot])) {
                slot = i;
            }
        }
    }
    return first + slot;
}

// The same of any number, by whole subgroups.
fn best_of_slots(first: u32) -> u32 {
    if (SLOTS == FEW) {
        return best_of_few(first);
    }
    var slot = min(lane, SLOTS - 1u);
    var mine = elected[first + slot];
    // More subgroups than a subgroup has invocations.
    for (var i = lane + lanes; i < SLOTS; i += lanes) {
        let other = elected[first + i];
        if (better(other, mine)) {
            mine = other;
            slot = i;
        }
    }
    return first + best_of_lanes(mine, slot);
}

// What number goes with the best of the subgroup's candidates: at most 1024 of them.
fn best_of_lanes(mine: Candidate, number: u32) -> u32 {
    let highest = subgroupMax(mine.rank.x);
    var best = mine.rank.x == highest;
    if (RANK_WORDS > 1u) {
        let lower = subgroupMax(select(0u, mine.rank.y, best));
        best = best && mine.rank.y == lower;
    }
    // The smallest place, and the number with it.
    return subgroupMin(select(NOWHERE, (mine.place << 10u) | number, best)) % 1024u;
}
