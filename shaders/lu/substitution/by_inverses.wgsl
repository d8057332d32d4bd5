// The diagonal block solved by its inverse, whose columns lie one after the other (lu/invert_blocks.wgsl): LINES invocations
// share a row's products, and their sums are added one by one. Leaves the solution in `x`, by rows of the block, behind a
// barrier.
@group(0) @binding(4) var<storage, read> inverses: array<Element>;

const LINES: u32 = WORKGROUP / BLOCK;
const SHARE: u32 = BLOCK / LINES;

fn solve_diagonal(local: u32, column: u32) {
    let i = local % BLOCK;
    let share = local / BLOCK * SHARE;
    var inverse: array<Scalar, SHARE>;
    for (var q = 0u; q < SHARE; q++) { // unrolled
        inverse[q] = load(inverses[params.inverse + (share + q) * BLOCK + i]);
    }
    if (local < BLOCK) {
        x[local] = SCALAR_ZERO;
        if (local < params.size) {
            x[local] = load(work[(params.first + local) * params.cols + column]);
        }
    }
    workgroupBarrier();
    var part = SCALAR_ZERO;
    for (var q = 0u; q < SHARE; q++) { // unrolled
        part = s_mul_add(inverse[q], x[share + q], part);
    }
    sums[local] = part;
    workgroupBarrier();
    if (local < BLOCK) {
        var value = sums[local];
        for (var k = 1u; k < LINES; k++) {
            value = s_add(value, sums[local + k * BLOCK]);
        }
        x[local] = value;
    }
    workgroupBarrier();
}
