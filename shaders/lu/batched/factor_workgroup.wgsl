// P A = L U of many systems (lu/batched/factor.wgsl), pivots elected through workgroup memory: three barriers a column.
@compute @workgroup_size(WORKGROUP)
fn factor_workgroup(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    factor(workgroup_index(id, count), local, 0u);
}

fn best_of_group(team: u32, lane: u32, mine: Candidate, together: u32) -> Candidate { return elect(team, lane, mine); }
fn groups(together: u32) -> u32 { return 1u; }
fn group_of(lane: u32, together: u32) -> u32 { return 0u; }
fn is_first_of_group(lane: u32, together: u32) -> bool { return lane == 0u; }
