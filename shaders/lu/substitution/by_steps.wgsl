// The diagonal block solved row by row, a barrier each; an invocation solves one row. Leaves the solution in `x`, by rows of the
// block, behind a barrier. Coefficients come CHUNK steps ahead.
const CHUNK: u32 = 8u;

// The row that is solved for in that step; past the end, the last one.
fn row_of(step: u32) -> u32 {
    let within = min(step, params.size - 1u);
    return select(within, params.size - 1u - within, UPPER == 1u);
}

fn solve_diagonal(local: u32, column: u32) {
    let mine = params.first + row_of(local);
    var value = load(work[mine * params.cols + column]);
    var divisor = SCALAR_ONE;
    if (UNIT == 0u) {
        divisor = entry(mine, mine);
    }
    var ahead: array<Scalar, CHUNK>;
    for (var q = 0u; q < CHUNK; q++) { // unrolled
        ahead[q] = entry(mine, params.first + row_of(q));
    }
    if (local < BLOCK) {
        x[local] = SCALAR_ZERO;
    }
    workgroupBarrier();
    for (var base = 0u; base < params.size; base += CHUNK) {
        let now = ahead;
        if (base + CHUNK < params.size) {
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                ahead[q] = entry(mine, params.first + row_of(base + CHUNK + q));
            }
        }
        for (var q = 0u; q < CHUNK; q++) { // unrolled
            let step = base + q;
            if (local == step && step < params.size) {
                if (UNIT == 0u) {
                    value = s_div(value, divisor);
                }
                x[row_of(step)] = value;
            }
            workgroupBarrier();
            if (local > step && local < params.size) {
                value = s_mul_add(s_neg(now[q]), x[row_of(step)], value);
            }
        }
    }
}
