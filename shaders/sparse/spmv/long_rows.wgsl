// The end of long rows: one workgroup a row adds up its chunks, whose sums stand for values. Traffic: the sums once.
// Order: an invocation's own chunks one by one, then the invocations in halves.
const ARRAYS: u32 = 2u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
// Of each long row: which it is, its first chunk, and the chunk past its last; a fourth number fills up.
@group(0) @binding(2) var<storage, read> long: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn spmv_long_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    var sum = SCALAR_ZERO;
    if (group < params.blocks) {
        for (var chunk = long[group].y + local; chunk < long[group].z; chunk += WORKGROUP) {
            sum = s_add(load(values[chunk]), sum);
        }
    }
    let all = sum_of_lanes(local, WORKGROUP, sum);
    if (local == 0u && group < params.blocks) {
        give(long[group].x, all);
    }
    close(local, group);
}
