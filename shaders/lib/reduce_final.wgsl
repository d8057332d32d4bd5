// Second of two passes of a reduction: one workgroup combines the partial Sums in a fixed order and writes the result.
struct Params {
    count: u32,
    result_offset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> partials: array<Sum>;
@group(0) @binding(2) var<storage, read_write> result: array<Output>;

@compute @workgroup_size(WORKGROUP)
fn reduce_final(@builtin(local_invocation_index) local: u32) {
    var sum = sum_zero();
    for (var i = local; i < params.count; i += WORKGROUP) {
        sum = combine(sum, partials[i]);
    }
    let total = workgroup_combine(local, sum);
    if (local == 0u) {
        result[params.result_offset] = finish(total);
    }
}
