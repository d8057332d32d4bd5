// A block on the diagonal in the registers of a workgroup, without exchanges: of single words. Element (i, j) belongs to the
// invocation at (i mod SIDE, j mod SIDE), which has TILES x TILES of them, so that all have work until the end. A kernel with this
// file has send(i, j, x), which is told of each element when it is done.
const SIDE: u32 = 16u;
const MOST: u32 = SIDE * TILES;

// A column, or a row, as it is shown: by runs of what an invocation has of it, which compilers read at once.
const SHOWN: u32 = SIDE * max(TILES, RUN);

var<workgroup> shown_columns: array<Scalar, 2u * SHOWN>;
var<workgroup> shown_rows: array<Scalar, 2u * SHOWN>;

// Where an element of a line is.
fn place(tile: u32, within: u32) -> u32 { return tile / RUN * SIDE * RUN + within * RUN + tile % RUN; }

// The exchanges of nothing.
fn note_pivots(local: u32) {
    for (var i = params.first + local; i < params.first + params.size; i += SIDE * SIDE) {
        pivots[i] = i;
    }
}

fn load_block(x: ptr<function, array<Scalar, TILES * TILES>>, local: u32) {
    let corner = params.first * params.leading + params.first;
    // Elements past the end repeat the last, and nobody asks for what becomes of them.
    let last = params.size - 1u;
    for (var r = 0u; r < TILES; r++) { // unrolled
        let row = corner + min(r * SIDE + local / SIDE, last) * params.leading;
        for (var c = 0u; c < TILES; c++) { // unrolled
            (*x)[r * TILES + c] = load(a[row + min(c * SIDE + local % SIDE, last)]);
        }
    }
}

// A = L U. In step k, who has column k and row k shows them to the others; behind the one barrier, everyone divides its part of the
// column by the pivot and takes its part of the product off. Steps take turns in workgroup memory: what a step reads is written
// again two barriers later. Rows and columns that are done cost nothing: the blocks of SIDE steps are written out. Of a product only
// what the next steps of such a block show is taken off at once, and the rest one step later, while everyone waits for the next
// pivot's reciprocal.
fn factor_block(x: ptr<function, array<Scalar, TILES * TILES>>, local: u32) {
    let across = local % SIDE;
    let down = local / SIDE;
    // The first column without a pivot, plus one.
    var first_zero = 0u;
    // Of the step before: L, negative, and U. At first what takes nothing off, not even a zero's sign.
    var former_l: array<Scalar, TILES>;
    var former_u: array<Scalar, TILES>;
    for (var t = 0u; t < TILES; t++) { // unrolled
        former_l[t] = s_neg(SCALAR_ZERO);
        former_u[t] = SCALAR_ZERO;
    }
    for (var b = 0u; b < TILES; b++) { // unrolled
        let steps = min(SIDE, params.size - min(params.size, b * SIDE));
        for (var q = 0u; q < steps; q++) {
            let turn = q % 2u * SHOWN;
            if (across == q) {
                for (var r = b / RUN * RUN; r < TILES; r++) { // unrolled
                    shown_columns[turn + place(r, down)] = (*x)[r * TILES + b];
                }
            }
            if (down == q) {
                for (var c = b / RUN * RUN; c < TILES; c++) { // unrolled
                    shown_rows[turn + place(c, across)] = (*x)[b * TILES + c];
                }
            }
            workgroupBarrier();
            let pivot = shown_rows[turn + place(b, q)];
            let by = divisor(pivot);
            var u: array<Scalar, TILES>;
            for (var c = b / RUN * RUN; c < TILES; c++) { // unrolled
                u[c] = shown_rows[turn + place(c, across)];
            }
            var l: array<Scalar, TILES>;
            for (var r = b / RUN * RUN; r < TILES; r++) { // unrolled
                l[r] = shown_columns[turn + place(r, down)];
            }
            for (var r = b + 1u; r < TILES; r++) { // unrolled
                for (var c = b + 1u; c < TILES; c++) { // unrolled
                    (*x)[r * TILES + c] = s_mul_add(former_l[r], former_u[c], (*x)[r * TILES + c]);
                }
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
                former_l[r] = s_neg(l[r]);
                former_u[r] = u[r];
                if (r > b || down > q) {
                    if (across == q) {
                        (*x)[r * TILES + b] = l[r];
                    }
                    if (across > q) {
                        (*x)[r * TILES + b] = s_mul_add(former_l[r], u[b], (*x)[r * TILES + b]);
                    }
                }
            }
            if (down > q) {
                for (var c = b + 1u; c < TILES; c++) { // unrolled
                    (*x)[b * TILES + c] = s_mul_add(former_l[b], u[c], (*x)[b * TILES + c]);
                }
            }
        }
        // What is done.
        for (var t = b; t < TILES; t++) { // unrolled
            send(t * SIDE + down, b * SIDE + across, (*x)[t * TILES + b]);
            if (t > b) {
                send(b * SIDE + down, t * SIDE + across, (*x)[b * TILES + t]);
            }
        }
        // What the next block of steps shows.
        for (var r = b + 1u; r < TILES; r++) { // unrolled
            (*x)[r * TILES + b + 1u] = s_mul_add(former_l[r], former_u[b + 1u], (*x)[r * TILES + b + 1u]);
        }
        for (var c = b + 2u; c < TILES; c++) { // unrolled
            (*x)[(b + 1u) * TILES + c] = s_mul_add(former_l[b + 1u], former_u[c], (*x)[(b + 1u) * TILES + c]);
        }
    }
    if (local == 0u && first_zero != 0u && atomicLoad(&status[0]) == 0u) {
        // Others may say meanwhile that they waited in vain.
        atomicMax(&status[0], params.first + first_zero);
    }
}

fn store_block(x: ptr<function, array<Scalar, TILES * TILES>>, local: u32) {
    let corner = params.first * params.leading + params.first;
    // One branch for all where there is nothing past the end.
    if (params.size == MOST) {
        for (var r = 0u; r < TILES; r++) { // unrolled
            let row = corner + (r * SIDE + local / SIDE) * params.leading + local % SIDE;
            for (var c = 0u; c < TILES; c++) { // unrolled
                a[row + c * SIDE] = store((*x)[r * TILES + c]);
            }
        }
        return;
    }
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
