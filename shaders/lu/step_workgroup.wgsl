// The election of a pivot without subgroups: all candidates lie in workgroup memory, a few invocations look through some
// each, and everybody through what these found. SLOTS is 1.
const ELECTORS: u32 = 16u;

var<workgroup> candidates: array<Candidate, WORKGROUP>;
var<workgroup> finalists: array<Candidate, ELECTORS>;

@compute @workgroup_size(WORKGROUP)
fn step_workgroup(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    step(workgroup_index(id, count), local);
}

fn is_elected(local: u32, mine: Candidate) -> bool {
    candidates[local] = mine;
    workgroupBarrier();
    if (local < ELECTORS) {
        var best = mine;
        for (var i = local + ELECTORS; i < WORKGROUP; i += ELECTORS) {
            if (better(candidates[i], best)) {
                best = candidates[i];
            }
        }
        finalists[local] = best;
    }
    workgroupBarrier();
    var best = finalists[0];
    for (var i = 1u; i < ELECTORS; i++) {
        if (better(finalists[i], best)) {
            best = finalists[i];
        }
    }
    return mine.place == best.place;
}

fn group_slot() -> u32 { return 0u; }

fn elect(slot: u32, mine: Candidate) { elected[slot] = mine; }

fn winner_of(column: u32) -> u32 { return column; }
