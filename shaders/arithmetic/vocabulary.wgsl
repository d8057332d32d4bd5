// A scalar module's whole vocabulary on pairs x, y, as kernels use it: x + y, x - y, x y, x / y, the root of |x|, and a
// chain of multiply-adds over the pairs that follow, since what a compiler does depends on the shape of the code.
// One invocation tries one pair.
struct Params {
    pairs: u32,
    chain: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> operands: array<Element>;
@group(0) @binding(2) var<storage, read_write> results: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn vocabulary(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.pairs) {
        return;
    }
    let x = load(operands[2u * i]);
    let y = load(operands[2u * i + 1u]);
    results[6u * i] = store(s_add(x, y));
    results[6u * i + 1u] = store(s_sub(x, y));
    results[6u * i + 2u] = store(s_mul(x, y));
    results[6u * i + 3u] = store(s_div(x, y));
    results[6u * i + 4u] = store(s_sqrt(s_abs(x)));
    var sum = SCALAR_ZERO;
    for (var k = 0u; k < params.chain; k++) {
        let next = 2u * ((i + k) % params.pairs);
        sum = s_mul_add(load(operands[next]), load(operands[next + 1u]), sum);
    }
    results[6u * i + 5u] = store(sum);
}
