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

fn group_best(local: u32, mine: Candidate) -> Candidate {
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
    return best;
}

fn group_slot() -> u32 { return 0u; }

fn publish(slot: u32, best: Candidate) {
    elected[slot] = best;
}

fn winner_of(parity: u32) -> Winner { return Winner(elected[parity], parity); }
