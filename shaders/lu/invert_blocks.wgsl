// The inverses of the blocks of BLOCK rows on the diagonals of L and of U, of `rows` rows together, by rows. A workgroup has one
// block of one of them, the even ones of L; an invocation solves T x = e for its column, ROWS rows at a time: what the rows
// before contribute, which are read where they were written, and then the triangle that is left. All are at the same rows at
// the same time, so that an element of T, in workgroup memory, is one for all of them. U is gone through from its last
// row and column on, and so is a lower triangle too. The last block is filled up with the zeros that were there.
// Traffic: BLOCK rows elements of the factors for L and for U, as many written; inverses are read BLOCK / 2 ROWS times.
struct Params {
    rows: u32,
    blocks: u32,
    leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> factors: array<Element>;
@group(0) @binding(2) var<storage, read_write> inverses: array<Element>;

const ROWS: u32 = 8u;
const AT_ONCE: u32 = 4u;

var<workgroup> t: array<Scalar, ROWS * BLOCK>;

@compute @workgroup_size(BLOCK)
fn invert_blocks(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let block = group / 2u;
    let upper = group % 2u == 1u;
    if (block >= params.blocks) {
        return;
    }
    let first = block * BLOCK;
    let last = min(BLOCK, params.rows - first) - 1u;
    let corner = first * params.leading + first;
    let inverse = (group % 2u * params.blocks + block) * BLOCK * BLOCK;
    // Columns past the last are of nothing, and stay zero.
    let column = select(local, last - min(local, last), upper);
    let is_column = local <= last;
    for (var base = 0u; base <= last; base += ROWS) {
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let i = min(base + r, last);
            let j = min(local, last);
            let at = select(i * params.leading + j, (last - i) * params.leading + last - j, upper);
            t[r * BLOCK + local] = load(factors[corner + at]);
        }
        workgroupBarrier();
        var x: array<Scalar, ROWS>;
        for (var r = 0u; r < ROWS; r++) { // unrolled
            x[r] = SCALAR_ZERO;
            if (is_column && base + r == column) {
                x[r] = SCALAR_ONE;
            }
        }
        for (var k = 0u; k < base; k += AT_ONCE) {
            var known: array<Scalar, AT_ONCE>;
            for (var q = 0u; q < AT_ONCE; q++) { // unrolled
                known[q] = s_neg(load(inverses[inverse + select(k + q, last - k - q, upper) * BLOCK + local]));
            }
            for (var q = 0u; q < AT_ONCE; q++) { // unrolled
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    x[r] = s_mul_add(t[r * BLOCK + k + q], known[q], x[r]);
                }
            }
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            for (var q = 0u; q < r; q++) { // unrolled
                x[r] = s_mul_add(s_neg(t[r * BLOCK + base + q]), x[q], x[r]);
            }
            if (upper) {
                x[r] = s_div(x[r], t[r * BLOCK + base + r]);
            }
            if (is_column && base + r <= last) {
                inverses[inverse + select(base + r, last - base - r, upper) * BLOCK + local] = store(x[r]);
            }
        }
        workgroupBarrier();
    }
}
