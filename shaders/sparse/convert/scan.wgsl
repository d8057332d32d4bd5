// numbers[offset + i stride] <- the sum of those before it, within blocks of EACH WORKGROUP numbers; what a block sums up to
// goes to totals. One invocation has EACH neighbouring numbers, and the workgroup adds up what each has (lib/sum_to.wgsl).
// Traffic: every number is read and written once.
struct Params {
    count: u32,
    offset: u32,
    stride: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn scan(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = workgroup_index(id, count);
    let first = (block * WORKGROUP + local) * EACH;
    var before: array<u32, EACH>;
    var sum = 0u;
    for (var e = 0u; e < EACH; e++) { // unrolled
        before[e] = sum;
        if (first + e < params.count) {
            sum += numbers[params.offset + (first + e) * params.stride];
        }
    }
    let up_to = sum_to(local, sum);
    for (var e = 0u; e < EACH; e++) { // unrolled
        if (first + e < params.count) {
            numbers[params.offset + (first + e) * params.stride] = up_to - sum + before[e];
        }
    }
    // The last workgroups of a folded grid have no block.
    if (local == WORKGROUP - 1u && first - local * EACH < params.count) {
        totals[block] = up_to;
    }
}
