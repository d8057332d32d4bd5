// The election of a pivot without subgroups: all candidates lie in workgroup memory, a few invocations look through some
// each, and everybody through what these found. SLOTS is 1.
const ELECTORS: u32 = 16u;
const OWN: u32 = WIDTH;
const PUBLISHED: u32 = OWN;

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

fn elect(slot: u32, mine: Candidate) { elected[slot] = mine; }

fn slot_of(column: u32) -> u32 { return column; }
fn winner_of(part: u32, column: u32, local: u32) -> u32 { return column; }
fn run_of_winner(slot: u32, column: u32) -> Run { return published[(slot * STRIDE + column) / RUN]; }
fn place_of_winner(slot: u32) -> u32 { return elected[slot].place; }
fn keep(part: u32, column: u32, slot: u32, pivot: ptr<function, array<Run, STRIDE / RUN>>, there: u32) -> u32 { return slot; }
