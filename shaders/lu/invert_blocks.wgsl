// The inverses X of the triangles on the diagonal of n x n factors, BLOCK rows each: T X = I, first for L, whose diagonal of
// ones is not stored, then for U. A workgroup has one triangle, an invocation one column of X, which it solves row by row
// (forwards for L, backwards for U) and reads again from where it left it; the other triangle of X is zero. Row i of L's
// inverses is row i of `inverses`, of U's row n + i.
// Traffic: BLOCK^2 / 2 elements of T for each invocation (the same for all, from the cache), and as many of X.
struct Params {
    n: u32,
    leading: u32,
    blocks: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> factors: array<Element>;
@group(0) @binding(2) var<storage, read_write> inverses: array<Element>;

const CHUNK: u32 = 4u;

@compute @workgroup_size(BLOCK)
fn invert_blocks(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) column: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= 2u * params.blocks) {
        return;
    }
    let upper = group >= params.blocks;
    let first = group % params.blocks * BLOCK;
    let size = min(BLOCK, params.n - first);
    let base = first + select(0u, params.n, upper);
    for (var step = 0u; step < size; step++) {
        // The rows solved for before lie from `known_from` on, and are `step`.
        let i = select(step, size - 1u - step, upper);
        let known_from = select(0u, i + 1u, upper);
        let row = (first + i) * params.leading + first;
        var x = SCALAR_ZERO;
        if (i == column) {
            x = SCALAR_ONE;
        }
        var l = known_from;
        for (; l + CHUNK <= known_from + step; l += CHUNK) {
            var entries: array<Scalar, CHUNK>;
            var known: array<Scalar, CHUNK>;
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                entries[q] = load(factors[row + l + q]);
                known[q] = load(inverses[(base + l + q) * BLOCK + column]);
            }
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                x = s_mul_add(s_neg(entries[q]), known[q], x);
            }
        }
        for (; l < known_from + step; l++) {
            x = s_mul_add(s_neg(load(factors[row + l])), load(inverses[(base + l) * BLOCK + column]), x);
        }
        if (upper) {
            x = s_div(x, load(factors[row + i]));
        }
        inverses[(base + i) * BLOCK + column] = store(x);
    }
}
