// A step of P A = L U inside a block of columns that begins at row and column `first`; rows and columns count from there.
// Workgroup 0 factors a panel of WIDTH columns with its rows in registers; the others do what the panel before it asks of
// the columns to the right, at the same time. Rows do not move: place[row] is where row `row` will go (lu/exchange.wgsl
// moves them), and a row whose place is a pivot's is finished. Rows of U to the right of their panel go to `upper`.
// panels: three panels by columns, in turns: the one being factored, its factored predecessor, its successor as it is.
//
// Traffic: the panel and its predecessor are read once and the panel is written; of the columns to the right each element
// is read and written once, with WIDTH multiply-adds. Entry and election: lu/step_{subgroups,workgroup}.wgsl.
struct Params {
    height: u32,
    first: u32,
    leading: u32,
    // The panel: its first column, its width (0: there is none), its number; and the width of the one before (0: none).
    column: u32,
    width: u32,
    number: u32,
    before: u32,
    // The width of the panel after it, the end of the columns to the right, and how many workgroups share their rows.
    next: u32,
    limit: u32,
    tiles: u32,
    // WIDTH, which compilers must not know here: a loop that they write out fetches each instruction once.
    rounds: u32,
    // How many workgroups do what the block before asks (lu/trailing.wgsl): it begins at row and column `done` of A, and asks it of
    // the columns from `left` to `right`. `across` tiles are beside each other, and the first of these workgroups does `tile`.
    besides: u32,
    done: u32,
    left: u32,
    right: u32,
    across: u32,
    tile: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> panels: array<Element>;
@group(0) @binding(3) var<storage, read_write> upper: array<Element>;
@group(0) @binding(4) var<storage, read_write> place: array<u32>;
@group(0) @binding(5) var<storage, read_write> source: array<u32>;
@group(0) @binding(6) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(7) var<storage, read_write> status: array<u32>;

const NOWHERE: u32 = 0xffffffffu;
const FAR: u32 = 0x80000000u;
// Columns of L that are read ahead; one, where WIDTH is odd.
const CHUNK: u32 = 1u + 3u / ((ROWS + 1u) / 2u) * (WIDTH / 2u * 2u / WIDTH);
const SQUARE: u32 = WIDTH * WIDTH;
const SQUARE_SHARE: u32 = (SQUARE + WORKGROUP - 1u) / WORKGROUP;
// A row as it is published: whole runs.
const STRIDE: u32 = (WIDTH + RUN - 1u) / RUN * RUN;
// A strip: an invocation has SPAN columns of it, LANES apart, and BATCH neighbouring rows.
const LINES: u32 = WORKGROUP / LANES;
const STRIP_ROWS: u32 = BATCH * LINES;
const STRIP_COLS: u32 = LANES * SPAN;
const STRIP_L: u32 = STRIP_ROWS * WIDTH;
const STRIP_U: u32 = STRIP_COLS * WIDTH;
const STRIP_L_SHARE: u32 = (STRIP_L + WORKGROUP - 1u) / WORKGROUP;
const STRIP_U_SHARE: u32 = (STRIP_U + WORKGROUP - 1u) / WORKGROUP;

// A row that may become the pivot: the larger rank wins, then the smaller place.
struct Candidate {
    rank: vec2<u32>,
    place: u32,
    row: u32,
}

// For each column, the best row of each group of invocations and, at the end, which of them was the pivot's: all is kept
// until the panel is done, since the stores of one column would hold up the next.
var<workgroup> published: array<Run, SLOTS * WIDTH * STRIDE / RUN>;
var<workgroup> elected: array<Candidate, SLOTS * WIDTH>;
var<workgroup> winners: array<u32, WIDTH>;
// L of the pivot rows of the panel before, by columns, and their rows of U in this one.
var<workgroup> triangle: array<Scalar, WIDTH * STRIDE>;
var<workgroup> above: array<Scalar, SQUARE>;

fn better(x: Candidate, y: Candidate) -> bool {
    if (x.rank.x != y.rank.x) {
        return x.rank.x > y.rank.x;
    }
    if (x.rank.y != y.rank.y) {
        return x.rank.y > y.rank.y;
    }
    return x.place < y.place;
}

// The better of a candidate and a row.
fn candidate_or(mine: Candidate, entry: Scalar, place: u32, row: u32) -> Candidate {
    let other = Candidate(s_rank(entry), place, row);
    if (better(other, mine)) {
        return other;
    }
    return mine;
}

fn panel_at(number: u32, column: u32, row: u32) -> u32 {
    return (number % 3u * WIDTH + column) * params.height + row;
}

fn entry_at(row: u32, column: u32) -> u32 {
    return (params.first + row) * params.leading + params.first + column;
}

// Of the factored panel; panels are numbered from 0, and places are kept for even and odd ones.
fn place_before(row: u32) -> u32 {
    return place[(params.number + 1u) % 2u * params.height + row];
}

// The row that holds row i of L11 of the panel before; the last one past it.
fn pivot_row_before(i: u32) -> u32 { return source[params.column - params.before + min(i, params.before - 1u)]; }

// L11 of the panel before, whose row i is in `row`, with zeros for what is not there.
fn triangle_at(i: u32, k: u32, row: u32) -> Scalar {
    if (k < i && i < params.before) {
        return load(panels[panel_at(params.number + 2u, k, row)]);
    }
    return SCALAR_ZERO;
}

fn factor_panel(local: u32) {
    var rows: array<Scalar, ROWS * WIDTH>;
    var home: array<u32, ROWS>;
    var ahead: array<Scalar, ROWS * CHUNK>;
    if (params.before > 0u) {
        // What is found by two reads, one after the other, is asked for first, and waited for with everything else.
        var above_at: array<u32, SQUARE_SHARE>;
        for (var s = 0u; s < SQUARE_SHARE; s++) { // unrolled
            above_at[s] = pivot_row_before((local + s * WORKGROUP) / WIDTH);
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let row = min(local + r * WORKGROUP, params.height - 1u);
            home[r] = place_before(row);
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                rows[r * WIDTH + j] = load(panels[panel_at(params.number, j, row)]);
            }
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                ahead[r * CHUNK + q] = load(panels[panel_at(params.number + 2u, q, row)]);
            }
        }
        for (var s = 0u; s < SQUARE_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            if (SQUARE % WORKGROUP == 0u || e < SQUARE) {
                triangle[e % WIDTH * STRIDE + e / WIDTH] = triangle_at(e / WIDTH, e % WIDTH, above_at[s]);
                above[e] = load(panels[panel_at(params.number, e % WIDTH, above_at[s])]);
            }
        }
    } else {
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let row = min(local + r * WORKGROUP, params.height - 1u);
            home[r] = row;
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                rows[r * WIDTH + j] = load(a[entry_at(row, params.column + min(j, params.width - 1u))]);
            }
        }
    }
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if (local + r * WORKGROUP >= params.height) {
            home[r] = NOWHERE;
        }
    }
    for (var s = local; s < SLOTS * WIDTH; s += WORKGROUP) {
        elect(s, Candidate(vec2<u32>(0u), NOWHERE, 0u));
    }
    workgroupBarrier();
    if (params.before > 0u) {
        if (local < params.width) {
            var u: array<Scalar, WIDTH>;
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                u[k] = above[k * WIDTH + local];
            }
            // Column by column, so that a row does not wait for all before it at once.
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                for (var i = k + 1u; i < WIDTH; i++) { // unrolled
                    u[i] = s_mul_add(s_neg(triangle[k * STRIDE + i]), u[k], u[i]);
                }
            }
            for (var i = 1u; i < WIDTH; i++) { // unrolled
                above[i * WIDTH + local] = u[i];
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < params.rounds; k += CHUNK) {
            let l = ahead;
            if (k + CHUNK < params.rounds) {
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    let row = min(local + r * WORKGROUP, params.height - 1u);
                    for (var q = 0u; q < CHUNK; q++) { // unrolled
                        ahead[r * CHUNK + q] = load(panels[panel_at(params.number + 2u, k + CHUNK + q, row)]);
                    }
                }
            }
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                for (var j = 0u; j < WIDTH; j++) { // unrolled
                    let u = above[(k + q) * WIDTH + j];
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        rows[r * WIDTH + j] = s_mul_add(s_neg(l[r * CHUNK + q]), u, rows[r * WIDTH + j]);
                    }
                }
            }
        }
    }
    // Column after column: the one in work is always the first, since an unrolled loop would fetch each instruction once
    // and an index that varies would put the rows in memory. What is finished leaves: columns of L, and rows of U.
    var mine = Candidate(vec2<u32>(0u), NOWHERE, 0u);
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if (home[r] - params.column < FAR) {
            mine = candidate_or(mine, rows[r * WIDTH], home[r], local + r * WORKGROUP);
        }
    }
    var column_at = panel_at(params.number, 0u, local);
    for (var c = 0u; c < params.width; c++) {
        let now = params.column + c;
        if (is_elected(local, mine)) {
            let slot = c * SLOTS + group_slot();
            elect(slot, mine);
            for (var j = 0u; j < WIDTH; j += RUN) { // unrolled
                var run: Run;
                for (var i = 0u; i < RUN; i++) { // unrolled
                    let column = min(j + i, WIDTH - 1u);
                    var x = rows[column];
                    for (var r = 1u; r < ROWS; r++) { // unrolled
                        if (home[r] == mine.place) {
                            x = rows[r * WIDTH + column];
                        }
                    }
                    run[i] = x;
                }
                published[(slot * STRIDE + j) / RUN] = run;
            }
        }
        workgroupBarrier();
        let slot = winner_of(c);
        var pivot: array<Run, STRIDE / RUN>;
        for (var j = 0u; j < WIDTH; j += RUN) { // unrolled
            pivot[j / RUN] = published[(slot * STRIDE + j) / RUN];
        }
        let there = elected[slot].place;
        if (local == 0u) {
            winners[c] = slot;
        }
        let by = divisor(pivot[0][0]);
        var l: array<Scalar, ROWS>;
        // One branch for all.
        if (by.is_ordinary) {
            for (var r = 0u; r < ROWS; r++) { // unrolled
                l[r] = s_mul(rows[r * WIDTH], by.inverse);
            }
        } else {
            for (var r = 0u; r < ROWS; r++) { // unrolled
                l[r] = divided(rows[r * WIDTH], by);
            }
        }
        // Three loops, since compilers keep to the order of the text: each is of what does not wait for one another.
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if (home[r] == there) {
                home[r] = now;
            } else if (home[r] == now) {
                home[r] = there;
            }
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let negative = s_neg(l[r]);
            for (var j = 1u; j < WIDTH; j++) { // unrolled
                rows[r * WIDTH + j - 1u] = s_mul_add(negative, pivot[j / RUN][j % RUN], rows[r * WIDTH + j]);
            }
        }
        mine = Candidate(vec2<u32>(0u), NOWHERE, 0u);
        for (var r = 0u; r < ROWS; r++) { // unrolled
            // Neither finished nor nowhere, in one comparison.
            if (home[r] - now - 1u < FAR) {
                panels[column_at + r * WORKGROUP] = store(l[r]);
                mine = candidate_or(mine, rows[r * WIDTH], home[r], local + r * WORKGROUP);
            }
        }
        column_at += params.height;
    }
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if (home[r] != NOWHERE) {
            place[params.number % 2u * params.height + local + r * WORKGROUP] = home[r];
        }
    }
    workgroupBarrier();
    for (var e = local; e < params.before * WIDTH; e += WORKGROUP) {
        if (e % WIDTH < params.width) {
            let row = params.column - params.before + e / WIDTH;
            upper[row * params.leading + params.first + params.column + e % WIDTH] = store(above[e]);
        }
    }
    for (var e = local; e < params.width * WIDTH; e += WORKGROUP) {
        let c = e / WIDTH;
        let j = c + e % WIDTH;
        if (j < params.width) {
            let run = published[(winners[c] * STRIDE + e % WIDTH) / RUN];
            var x = run[0];
            for (var i = 1u; i < RUN; i++) { // unrolled
                if (e % WIDTH % RUN == i) {
                    x = run[i];
                }
            }
            panels[panel_at(params.number, j, elected[winners[c]].row)] = store(x);
        }
    }
    if (local < params.width) {
        let winner = elected[winners[local]];
        source[params.column + local] = winner.row;
        pivots[params.first + params.column + local] = params.first + winner.place;
    }
    if (local < params.width && lacks_pivot(local)) {
        var is_first = status[0] == 0u;
        for (var c = 0u; c < local; c++) {
            is_first = is_first && !lacks_pivot(c);
        }
        if (is_first) {
            status[0] = params.first + params.column + local + 1u;
        }
    }
}

// Of a column whose pivot is elected.
fn lacks_pivot(column: u32) -> bool { return is_zero(published[winners[column] * STRIDE / RUN][0]); }

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
    var l: array<Scalar, STRIP_L_SHARE>;
    var u: array<Scalar, STRIP_U_SHARE>;
    var from_row: array<u32, STRIP_U_SHARE>;
    if (params.before > 0u) {
        for (var s = 0u; s < STRIP_U_SHARE; s++) { // unrolled
            from_row[s] = pivot_row_before((local + s * WORKGROUP) / STRIP_COLS);
        }
    }
    for (var q = 0u; q < BATCH; q++) { // unrolled
        let row = min(begin + q, params.height - 1u);
        home[q] = params.column;
        if (params.before > 0u) {
            home[q] = place_before(row);
        }
        for (var s = 0u; s < SPAN; s++) { // unrolled
            x[q * SPAN + s] = load(a[entry_at(row, min(left + lane + s * LANES, params.limit - 1u))]);
        }
    }
    if (params.before > 0u) {
        for (var s = 0u; s < STRIP_L_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            let row = min(top + e % STRIP_ROWS, params.height - 1u);
            l[s] = SCALAR_ZERO;
            if (e / STRIP_ROWS < params.before) {
                l[s] = load(panels[panel_at(params.number + 2u, e / STRIP_ROWS, row)]);
            }
        }
        for (var s = 0u; s < STRIP_U_SHARE; s++) { // unrolled
            let e = local + s * WORKGROUP;
            u[s] = SCALAR_ZERO;
            if (e / STRIP_COLS < params.before) {
                u[s] = load(a[entry_at(from_row[s], min(left + e % STRIP_COLS, params.limit - 1u))]);
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
                    let at = (start + k) * params.leading + params.first + j;
                    upper[at] = store(tile_u[k * STRIP_COLS + strip_place(e % STRIP_COLS)]);
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
        if (row < params.height && home[q] >= params.column) {
            for (var s = 0u; s < SPAN; s++) { // unrolled
                let j = left + lane + s * LANES;
                if (j - right < params.next) {
                    panels[panel_at(params.number + 1u, j - right, row)] = store(x[q * SPAN + s]);
                } else if (j < params.limit && params.before > 0u) {
                    a[entry_at(row, j)] = store(x[q * SPAN + s]);
                }
            }
        }
    }
    // Panels go home by the way.
    if (strip == 0u && params.before > 0u) {
        for (var e = local; e < STRIP_L; e += WORKGROUP) {
            let row = top + e / WIDTH;
            let k = e % WIDTH;
            if (row < params.height && k < params.before) {
                a[entry_at(row, start + k)] = store(tile_l[k * STRIP_ROWS + e / WIDTH]);
            }
        }
    }
}

fn step(group: u32, local: u32) {
    let panel = u32(params.width > 0u);
    if (group < panel) {
        factor_panel(local);
        return;
    }
    let other = group - panel;
    if (other < params.besides) {
        update_trailing(params.tile + other, local);
        return;
    }
    update((other - params.besides) / params.tiles, (other - params.besides) % params.tiles, local);
}
