// The device's own operations on words a, b, c, each once: a + b, a - b, a b, a / b, the root of |a|, fma(a, b, c).
// One invocation tries one triple.
struct Params {
    triples: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> operands: array<Word>;
@group(0) @binding(2) var<storage, read_write> results: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn operations(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.triples) {
        return;
    }
    let a = operands[3u * i];
    let b = operands[3u * i + 1u];
    results[6u * i] = word_add(a, b);
    results[6u * i + 1u] = word_sub(a, b);
    results[6u * i + 2u] = word_mul(a, b);
    results[6u * i + 3u] = word_div(a, b);
    results[6u * i + 4u] = word_sqrt(word_abs(a));
    results[6u * i + 5u] = word_fma(a, b, operands[3u * i + 2u]);
}
