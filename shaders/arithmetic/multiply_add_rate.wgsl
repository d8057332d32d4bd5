// Multiply-adds from registers: every invocation runs eight chains c <- c factor + term, each step of which waits for the
// one before in its own chain only. A chain goes through the factor, since a product that did not change would be done
// once. Traffic: the sum of an invocation's chains, written once so that no compiler finds the work useless.
struct Params {
    invocations: u32,
    rounds: u32,
    @align(16) factor: Parameter,
    @align(16) term: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> results: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn multiply_add_rate(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.invocations) {
        return;
    }
    let x = params.factor.value;
    let y = params.term.value;
    var c0 = s_from_u32(8u * i);
    var c1 = s_from_u32(8u * i + 1u);
    var c2 = s_from_u32(8u * i + 2u);
    var c3 = s_from_u32(8u * i + 3u);
    var c4 = s_from_u32(8u * i + 4u);
    var c5 = s_from_u32(8u * i + 5u);
    var c6 = s_from_u32(8u * i + 6u);
    var c7 = s_from_u32(8u * i + 7u);
    for (var round = 0u; round < params.rounds; round++) {
        // A constant number, which compilers unroll: otherwise counting would cost a good part of an f32's multiply-adds.
        for (var step = 0u; step < STEPS; step++) {
            c0 = s_mul_add(c0, x, y);
            c1 = s_mul_add(c1, x, y);
            c2 = s_mul_add(c2, x, y);
            c3 = s_mul_add(c3, x, y);
            c4 = s_mul_add(c4, x, y);
            c5 = s_mul_add(c5, x, y);
            c6 = s_mul_add(c6, x, y);
            c7 = s_mul_add(c7, x, y);
        }
    }
    let left = s_add(s_add(c0, c1), s_add(c2, c3));
    let right = s_add(s_add(c4, c5), s_add(c6, c7));
    results[i] = store(s_add(left, right));
}
