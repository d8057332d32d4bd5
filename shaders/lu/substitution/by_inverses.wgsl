// The diagonal block solved by its inverse (lu/invert_blocks.wgsl): SHARES invocations sum a row's products, and their sums are
// added one by one. Leaves the solution in `x`, by rows of the block, behind a barrier.
@group(0) @binding(4) var<storage, read> inverses: array<Element>;

const SHARES: u32 = WORKGROUP / BLOCK;
const PRODUCTS: u32 = BLOCK / SHARES;

fn solve_diagonal(local: u32, column: u32) {
    let row = min(local / SHARES, params.size - 1u);
    let share = local % SHARES;
    // U's inverses follow those of L.
    let line = params.first + row + UPPER * params.rows;
    var inverse: array<Scalar, PRODUCTS>;
    for (var k = 0u; k < PRODUCTS; k++) { // unrolled
        inverse[k] = load(inverses[line * BLOCK + k * SHARES + share]);
    }
    if (local < params.size) {
        x[local] = load(work[(params.first + local) * params.cols + column]);
    }
    workgroupBarrier();
    var sum = SCALAR_ZERO;
    for (var k = 0u; k < PRODUCTS; k++) { // unrolled
        if (k * SHARES + share < params.size) {
            sum = s_mul_add(inverse[k], x[k * SHARES + share], sum);
        }
    }
    sums[local] = sum;
    workgroupBarrier();
    if (local < params.size) {
        var total = sums[local * SHARES];
        for (var k = 1u; k < SHARES; k++) {
            total = s_add(total, sums[local * SHARES + k]);
        }
        x[local] = total;
    }
    workgroupBarrier();
}
