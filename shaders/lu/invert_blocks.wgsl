// The inverses of the blocks of BLOCK rows on the diagonals of L and of U, of `rows` rows together. A workgroup has one
// block of one of them, the even ones of L; an invocation solves T x = e for its column, in memory that it alone reads, since
// no workgroup holds a block of every scalar. Columns of an inverse lie one after the other; the last block is filled up
// with the zeros that were there. Traffic: BLOCK rows elements of the factors for L and for U, as many written.
struct Params {
    rows: u32,
    blocks: u32,
    leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> factors: array<Element>;
@group(0) @binding(2) var<storage, read_write> inverses: array<Element>;

@compute @workgroup_size(BLOCK)
fn invert_blocks(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) j: u32,
) {
    let group = workgroup_index(id, count);
    let block = group / 2u;
    let upper = group % 2u == 1u;
    if (block >= params.blocks) {
        return;
    }
    let first = block * BLOCK;
    let size = min(BLOCK, params.rows - first);
    if (j >= size) {
        return;
    }
    let corner = first * params.leading + first;
    let x = ((group % 2u * params.blocks + block) * BLOCK + j) * BLOCK;
    // From e's one on: down in L, up in U.
    let steps = select(size - j, j + 1u, upper);
    for (var step = 0u; step < steps; step++) {
        let i = select(j + step, j - step, upper);
        var sum = SCALAR_ZERO;
        if (step == 0u) {
            sum = SCALAR_ONE;
        }
        for (var known = 0u; known < step; known++) {
            let k = select(j + known, j - known, upper);
            sum = s_mul_add(s_neg(load(factors[corner + i * params.leading + k])), load(inverses[x + k]), sum);
        }
        if (upper) {
            sum = s_div(sum, load(factors[corner + i * params.leading + i]));
        }
        inverses[x + i] = store(sum);
    }
}
