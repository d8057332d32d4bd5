// What a panel asks of the columns to its right, in a step (lu/step.wgsl): U of a strip of columns by substitution, and L U off a tile
// of its rows, by one workgroup. Tiles of the first strip take the panel home to A by the way. Traffic: a tile is read and written
// once, with WIDTH multiply-adds an element; L and U pass through workgroup memory, 1 / BATCH + 1 / SPAN scalars a multiply-add.

// A strip: an invocation has SPAN columns of it, LANES apart, and BATCH neighbouring rows.
const LINES: u32 = WORKGROUP / LANES;
const STRIP_ROWS: u32 = BATCH * LINES;
const STRIP_COLS: u32 = LANES * SPAN;
const STRIP_L: u32 = STRIP_ROWS * WIDTH;
const STRIP_U: u32 = STRIP_COLS * WIDTH;
const STRIP_L_SHARE: u32 = (STRIP_L + WORKGROUP - 1u) / WORKGROUP;
const STRIP_U_SHARE: u32 = (STRIP_U + WORKGROUP - 1u) / WORKGROUP;

// The rows of the block in a tile of a strip, and those of U: looked up once, for what is read and for what is noted at the end.
var<workgroup> rows_of_tile: array<u32, STRIP_ROWS>;
var<workgroup> rows_of_u: array<u32, WIDTH>;

// Where a column of a strip lies in a line of its U: an invocation's columns side by side.
fn strip_place(column: u32) -> u32 { return column % LANES * SPAN + column / LANES; }

// What the panel before asks of a strip of columns, in STRIP_ROWS rows. L and U pass through workgroup memory.
fn update(strip: u32, tile: u32, local: u32) {
    let lane = local % LANES;
    let top = tile * STRIP_ROWS;
    let begin = top + local / LANES * BATCH;
    let start = params.column - params.before;
    let right = params.column + params.width;
    let left = right + strip * STRIP_COLS;
    // All but the triangle is asked for at once, before anything is waited for; first what is found by two reads, one after the other.
    var x: array<Scalar, BATCH * SPAN>;
    var home: array<u32, BATCH>;
    var at_row: array<u32, BATCH>;
    var l: array<Scalar, STRIP_L_SHARE>;
    var u: array<Scalar, STRIP_U_SHARE>;
    var from_row: array<u32, STRIP_U_SHARE>;
    var l_row: array<u32, STRIP_L_SHARE>;
    if (params.before > 0u) {
        for (var s = 0u; s < STRIP_U_SHARE; s++) { // unrolled
            from_row[s] = pivot_row_before((local + s * WORKGROUP) / STRIP_COLS);
        }
    }
    for (var q = 0u; q < BATCH; q++) { // unrolled
        let row = min(begin + q, params.height - 1u);
        home[q] = params.column;
        if (params.before > 0u) {
            home[q] = place[home_table() * params.pitch + row];
        }
        at_row[q] = number_before(row, home[q]);
    }
    for (var s = 0u; s < STRIP_L_SHARE; s++) { // unrolled
        l_row[s] = min(top + (local + s * WORKGROUP) % STRIP_ROWS, params.height - 1u);
    }
    if (params.renumbered == 1u) {
        for (var s = 0u; s < STRIP_L_SHARE; s++) { // unrolled
            l_row[s] = place[home_table() * params.pitch + l_row[s]];
        }
    }
    if (stage_before() > 0u) {
        for (var q = 0u; q < BATCH; q++) { // unrolled
            at_row[q] = place[origins(stage_before()) + at_row[q]];
        }
        for (var s = 0u; s < STRIP_U_SHARE; s++) { // unrolled
            from_row[s] = place[origins(stage_before()) + from_row[s]];
        }
    }
    for (var q = 0u; q < BATCH; q++) { // unrolled
        for (var s = 0u; s < SPAN; s++) { // unrolled
            x[q * SPAN + s] = load(a[entry_at(at_row[q], min(left + lane + s * LANES, params.limit - 1u))]);
        }
    }
    if (params.before > 0u) {
        for (var s = 0u; s < STRIP_L_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            l[s] = SCALAR_ZERO;
            if (e / STRIP_ROWS < params.before) {
                l[s] = lower_before(e / STRIP_ROWS, l_row[s]);
            }
        }
        for (var s = 0u; s < STRIP_U_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            u[s] = SCALAR_ZERO;
            if (e / STRIP_COLS < params.before) {
                u[s] = load(a[entry_at(from_row[s], min(left + e % STRIP_COLS, params.limit - 1u))]);
                if (e % STRIP_COLS == 0u) {
                    rows_of_u[e / STRIP_COLS] = from_row[s];
                }
            }
        }
        for (var e = local; e < SQUARE; e += WORKGROUP) {
            triangle[e % WIDTH * STRIDE + e / WIDTH] = triangle_at(e / WIDTH, e % WIDTH, pivot_row_before(e / WIDTH));
        }
        for (var s = 0u; s < STRIP_L_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            if (STRIP_L % WORKGROUP == 0u || e < STRIP_L) {
                tile_l[e] = l[s];
            }
        }
        for (var s = 0u; s < STRIP_U_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            if (STRIP_U % WORKGROUP == 0u || e < STRIP_U) {
                tile_u[e / STRIP_COLS * STRIP_COLS + strip_place(e % STRIP_COLS)] = u[s];
            }
        }
        if (strip == 0u && lane == 0u) {
            for (var q = 0u; q < BATCH; q++) { // unrolled
                rows_of_tile[begin - top + q] = at_row[q];
            }
        }
        workgroupBarrier();
        // A column an invocation.
        if (local < STRIP_COLS) {
            var v: array<Scalar, WIDTH>;
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                v[k] = tile_u[k * STRIP_COLS + local];
            }
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                for (var i = k + 1u; i < WIDTH; i++) { // unrolled
                    v[i] = s_mul_add(s_neg(triangle[k * STRIDE + i]), v[k], v[i]);
                }
            }
            for (var i = 1u; i < WIDTH; i++) { // unrolled
                tile_u[i * STRIP_COLS + local] = v[i];
            }
        }
        workgroupBarrier();
        if (tile == 0u) {
            for (var e = local; e < params.before * STRIP_COLS; e += WORKGROUP) {
                let k = e / STRIP_COLS;
                let j = left + e % STRIP_COLS;
                if (j < params.limit) {
                    upper[upper_at(start + k, j)] = store(tile_u[k * STRIP_COLS + strip_place(e % STRIP_COLS)]);
                }
            }
        }
        for (var k = 0u; k < WIDTH; k++) { // unrolled
            for (var s = 0u; s < SPAN; s++) { // unrolled
                let negative = s_neg(tile_u[k * STRIP_COLS + lane * SPAN + s]);
                for (var q = 0u; q < BATCH; q++) { // unrolled
                    x[q * SPAN + s] = s_mul_add(tile_l[k * STRIP_ROWS + begin - top + q], negative, x[q * SPAN + s]);
                }
            }
        }
    }
    for (var q = 0u; q < BATCH; q++) { // unrolled
        let row = begin + q;
        // All rows are left that are numbered anew.
        if (row < params.height && (params.renumbered == 1u || home[q] >= params.column)) {
            for (var s = 0u; s < SPAN; s++) { // unrolled
                let j = left + lane + s * LANES;
                if (j - right < params.next) {
                    panels[panel_at(params.number + 1u, j - right, row)] = store(x[q * SPAN + s]);
                } else if (j < params.limit && params.before > 0u) {
                    a[entry_at(at_row[q], j)] = store(x[q * SPAN + s]);
                }
            }
        }
    }
    if (strip == 0u && params.before > 0u) {
        take_home(tile, local);
    }
}

// The panel before goes to A by the way, and what is known of its rows to where it is looked for.
fn take_home(tile: u32, local: u32) {
    let top = tile * STRIP_ROWS;
    let start = params.column - params.before;
    for (var e = local; e < STRIP_L; e += WORKGROUP) {
        let k = e % WIDTH;
        if (top + e / WIDTH < params.height && k < params.before) {
            a[entry_at(rows_of_tile[e / WIDTH], start + k)] = store(tile_l[k * STRIP_ROWS + e / WIDTH]);
        }
    }
    if (params.renumbered == 1u) {
        for (var e = local; e < STRIP_ROWS; e += WORKGROUP) {
            if (top + e < params.height) {
                place[origins(params.stage) + top + e] = rows_of_tile[e];
            }
        }
    }
    if (tile == 0u && local < params.before) {
        let row = rows_of_u[local];
        source[params.pitch + start + local] = row;
        // Rows that have no number any more.
        if (params.renumbered == 1u) {
            for (var k = 0u; k < local; k++) {
                a[entry_at(row, start + k)] = store(triangle[k * STRIDE + local]);
            }
        }
    }
}
