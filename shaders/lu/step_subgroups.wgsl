// The election of a pivot by the subgroups of one workgroup (lu/election.wgsl). What they publish is kept for all columns.
const TURNS: u32 = WIDTH;
const OWN: u32 = SLOTS * WIDTH;
// What costs is what all invocations read together.
const MOST_FEW: u32 = 2048u / WORKGROUP;
const PUBLISHED: u32 = OWN;

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
    lane = invocation;
    lanes = size;
    // A driver that breaks its word about them is told of, not trusted.
    if (subgroups > SLOTS) {
        atomicMax(&status[0], NOWHERE);
        return;
    }
    step(workgroup_index(id, count), local);
}

fn slot_of(column: u32) -> u32 { return column * SLOTS + group; }
fn winner_of(part: u32, column: u32, local: u32) -> u32 { return best_of_slots(column * SLOTS); }
fn run_of_winner(slot: u32, column: u32) -> Run { return published[(slot * STRIDE + column) / RUN]; }
fn place_of_winner(slot: u32) -> u32 { return elected[slot].place; }
fn keep(part: u32, column: u32, slot: u32, pivot: ptr<function, array<Run, STRIDE / RUN>>, there: u32) -> u32 { return slot; }
