// A block on the diagonal in the registers of a workgroup, without exchanges: of single words. Element (i, j) belongs to the
// invocation at (i mod SIDE, j mod SIDE), which has TILES x TILES of them, so that all have work until the end.
const SIDE: u32 = 16u;
const MOST: u32 = SIDE * TILES;

var<workgroup> columns: array<Scalar, 2u * MOST>;
var<workgroup> rows: array<Scalar, 2u * MOST>;

// The exchanges of nothing.
fn note_pivots(local: u32) {
    for (var i = params.first + local; i < params.first + params.size; i += SIDE * SIDE) {
        pivots[i] = i;
    }
}

fn load_block(x: ptr<function, array<Scalar, TILES * TILES>>, local: u32) {
    let corner = params.first * params.leading + params.first;
    for (var r = 0u; r < TILES; r++) { // unrolled
        for (var c = 0u; c < TILES; c++) { // unrolled
            let i = r * SIDE + local / SIDE;
            let j = c * SIDE + local % SIDE;
            (*x)[r * TILES + c] = SCALAR_ZERO;
            if (i < params.size && j < params.size) {
                (*x)[r * TILES + c] = load(a[corner + i * params.leading + j]);
            }
        }
    }
}

// A = L U. In step k, who has column k and row k shows them to the others; behind the one barrier, everyone divides its part of the
// column by the pivot and takes its part of the product off. Steps take turns in workgroup memory: what a step reads is written
// again two barriers later. Rows and columns that are done cost nothing: the blocks of SIDE steps are written out.
fn factor_block(x: ptr<function, array<Scalar, TILES * TILES>>, local: u32) {
    let across = local % SIDE;
    let down = local / SIDE;
    // The first column without a pivot, plus one.
    var first_zero = 0u;
    for (var b = 0u; b < TILES; b++) { // unrolled
        let steps = min(SIDE, params.size - min(params.size, b * SIDE));
        for (var q = 0u; q < steps; q++) {
            let turn = q % 2u * MOST;
            if (across == q) {
                for (var r = b; r < TILES; r++) { // unrolled
                    columns[turn + r * SIDE + down] = (*x)[r * TILES + b];
                }
            }
            if (down == q) {
                for (var c = b; c < TILES; c++) { // unrolled
                    rows[turn + c * SIDE + across] = (*x)[b * TILES + c];
                }
            }
            workgroupBarrier();
            let pivot = rows[turn + b * SIDE + q];
            let by = divisor(pivot);
            var u: array<Scalar, TILES>;
            for (var c = b; c < TILES; c++) { // unrolled
                u[c] = rows[turn + c * SIDE + across];
            }
            var l: array<Scalar, TILES>;
            for (var r = b; r < TILES; r++) { // unrolled
                l[r] = columns[turn + r * SIDE + down];
            }
            // One branch for all.
            if (by.is_ordinary) {
                for (var r = b; r < TILES; r++) { // unrolled
                    l[r] = s_mul(l[r], by.inverse);
                }
            } else {
                if (is_zero(pivot) && first_zero == 0u) {
                    first_zero = b * SIDE + q + 1u;
                }
                for (var r = b; r < TILES; r++) { // unrolled
                    l[r] = divided(l[r], by);
                }
            }
            for (var r = b; r < TILES; r++) { // unrolled
                if (r > b || down > q) {
                    if (across == q) {
                        (*x)[r * TILES + b] = l[r];
                    }
                    let negative = s_neg(l[r]);
                    if (across > q) {
                        (*x)[r * TILES + b] = s_mul_add(negative, u[b], (*x)[r * TILES + b]);
                    }
                    for (var c = b + 1u; c < TILES; c++) { // unrolled
                        (*x)[r * TILES + c] = s_mul_add(negative, u[c], (*x)[r * TILES + c]);
                    }
                }
            }
        }
    }
    if (local == 0u && first_zero != 0u && status[0] == 0u) {
        status[0] = params.first + first_zero;
    }
}

fn store_block(x: ptr<function, array<Scalar, TILES * TILES>>, local: u32) {
    let corner = params.first * params.leading + params.first;
    for (var r = 0u; r < TILES; r++) { // unrolled
        for (var c = 0u; c < TILES; c++) { // unrolled
            let i = r * SIDE + local / SIDE;
            let j = c * SIDE + local % SIDE;
            if (i < params.size && j < params.size) {
                a[corner + i * params.leading + j] = store((*x)[r * TILES + c]);
            }
        }
    }
}
