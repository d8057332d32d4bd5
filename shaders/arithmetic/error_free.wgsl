// The error-free transforms of a word layer on pairs a, b: a + b = s + e, and a b = p + e with e found in three ways.
// One invocation tries one pair. Out: s, e; p; e by fma, by mask, and that lifted.
struct Params {
    pairs: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> operands: array<Word>;
@group(0) @binding(2) var<storage, read_write> results: array<Word>;

@compute @workgroup_size(WORKGROUP)
fn error_free(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = workgroup_index(id, count) * WORKGROUP + local;
    if (i >= params.pairs) {
        return;
    }
    let a = operands[2u * i];
    let b = operands[2u * i + 1u];
    let sum = two_sum(a, b);
    let by_fma = two_prod_by(PRODUCT_FMA, a, b);
    results[6u * i] = sum.hi;
    results[6u * i + 1u] = sum.lo;
    results[6u * i + 2u] = by_fma.hi;
    results[6u * i + 3u] = by_fma.lo;
    results[6u * i + 4u] = two_prod_by(PRODUCT_MASK, a, b).lo;
    results[6u * i + 5u] = two_prod_by(PRODUCT_LIFTED, a, b).lo;
}
