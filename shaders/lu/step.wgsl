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
    // The width of the panel after it, the end of the columns to the right, and how many rows a workgroup has of them.
    next: u32,
    limit: u32,
    tile: u32,
    pivoting: u32,
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
const SQUARE: u32 = WIDTH * WIDTH;
// Columns of a strip: an invocation has SPAN of them, LANES apart.
const STRIP: u32 = LANES * SPAN;
const LINES: u32 = WORKGROUP / LANES;

// A row that may become the pivot: the larger rank wins, then the smaller place.
struct Candidate {
    rank: vec2<u32>,
    place: u32,
}

// The row that is the pivot's, and where it was published.
struct Winner {
    candidate: Candidate,
    slot: u32,
}

// The pivot row of each group of invocations, twice, since one is read while the next is written.
var<workgroup> published: array<Scalar, 2u * SLOTS * WIDTH>;
var<workgroup> elected: array<Candidate, 2u * SLOTS>;
// L of the pivot rows of the panel before, and their rows of U in this one.
var<workgroup> triangle: array<Scalar, SQUARE>;
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

// L11 of the panel before, with zeros for what is not there.
fn read_triangle(local: u32) {
    let start = params.column - params.before;
    for (var e = local; e < SQUARE; e += WORKGROUP) {
        let i = e / WIDTH;
        let k = e % WIDTH;
        var x = SCALAR_ZERO;
        if (k < i && i < params.before) {
            x = load(panels[panel_at(params.number + 2u, k, source[start + i])]);
        }
        triangle[e] = x;
    }
}

// u with L11 u = g.
fn substituted(g: array<Scalar, WIDTH>) -> array<Scalar, WIDTH> {
    var u = g;
    for (var i = 1u; i < WIDTH; i++) { // unrolled
        for (var k = 0u; k < i; k++) { // unrolled
            u[i] = s_mul_add(s_neg(triangle[i * WIDTH + k]), u[k], u[i]);
        }
    }
    return u;
}

fn factor_panel(local: u32) {
    var rows: array<Scalar, ROWS * WIDTH>;
    var home: array<u32, ROWS>;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        let row = local + r * WORKGROUP;
        home[r] = NOWHERE;
        for (var j = 0u; j < WIDTH; j++) { // unrolled
            rows[r * WIDTH + j] = SCALAR_ZERO;
        }
        if (row < params.height) {
            home[r] = row;
            if (params.before > 0u) {
                home[r] = place_before(row);
                for (var j = 0u; j < WIDTH; j++) { // unrolled
                    if (j < params.width) {
                        rows[r * WIDTH + j] = load(panels[panel_at(params.number, j, row)]);
                    }
                }
            } else {
                for (var j = 0u; j < WIDTH; j++) { // unrolled
                    if (j < params.width) {
                        rows[r * WIDTH + j] = load(a[entry_at(row, params.column + j)]);
                    }
                }
            }
        }
    }
    if (params.before > 0u) {
        let start = params.column - params.before;
        read_triangle(local);
        for (var r = 0u; r < ROWS; r++) { // unrolled
            // What is left of the subtraction is large for a place before start.
            let k = home[r] - start;
            if (k < params.before) {
                for (var j = 0u; j < WIDTH; j++) { // unrolled
                    above[k * WIDTH + j] = rows[r * WIDTH + j];
                }
            }
        }
        workgroupBarrier();
        if (local < params.width) {
            var u: array<Scalar, WIDTH>;
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                u[k] = above[k * WIDTH + local];
            }
            u = substituted(u);
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                above[k * WIDTH + local] = u[k];
                upper[(start + k) * params.leading + params.first + params.column + local] = store(u[k]);
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < WIDTH; k++) {
            for (var r = 0u; r < ROWS; r++) { // unrolled
                let row = local + r * WORKGROUP;
                if (row < params.height && home[r] >= params.column) {
                    let l = s_neg(load(panels[panel_at(params.number + 2u, k, row)]));
                    for (var j = 0u; j < WIDTH; j++) { // unrolled
                        rows[r * WIDTH + j] = s_mul_add(l, above[k * WIDTH + j], rows[r * WIDTH + j]);
                    }
                }
            }
        }
    }
    // Column after column: the one in work is always the first, since an unrolled loop would fetch each instruction once
    // and an index that varies would put the rows in memory. L takes the place that is left at the end.
    for (var c = 0u; c < WIDTH; c++) {
        let now = params.column + c;
        var pivot: array<Scalar, WIDTH>;
        var eliminates = false;
        if (c < params.width) {
            var mine = Candidate(vec2<u32>(0u), NOWHERE);
            for (var r = 0u; r < ROWS; r++) { // unrolled
                if (home[r] >= now && home[r] != NOWHERE) {
                    var rank = s_rank(rows[r * WIDTH]);
                    if (params.pivoting == 0u) {
                        rank = vec2<u32>(u32(home[r] == now));
                    }
                    let candidate = Candidate(rank, home[r]);
                    if (better(candidate, mine)) {
                        mine = candidate;
                    }
                }
            }
            let best = group_best(local, mine);
            let parity = c % 2u * SLOTS;
            let slot = parity + group_slot();
            if (mine.place == best.place && best.place != NOWHERE) {
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    if (home[r] == best.place) {
                        for (var j = 0u; j < WIDTH; j++) { // unrolled
                            published[slot * WIDTH + j] = rows[r * WIDTH + j];
                        }
                    }
                }
            }
            publish(slot, best);
            workgroupBarrier();
            let winner = winner_of(parity);
            let begin = winner.slot * WIDTH;
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                pivot[j] = SCALAR_ZERO;
                if (j < WIDTH - c) {
                    pivot[j] = published[begin + j];
                }
            }
            let there = winner.candidate.place;
            for (var r = 0u; r < ROWS; r++) { // unrolled
                if (home[r] == there) {
                    home[r] = now;
                    source[now] = local + r * WORKGROUP;
                    pivots[params.first + now] = params.first + there;
                } else if (home[r] == now) {
                    home[r] = there;
                }
            }
            let rank = s_rank(pivot[0]);
            eliminates = rank.x != 0u || rank.y != 0u;
            if (!eliminates && local == 0u && status[0] == 0u) {
                status[0] = params.first + now + 1u;
            }
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if (eliminates && home[r] > now) {
                let l = s_div(rows[r * WIDTH], pivot[0]);
                let negative = s_neg(l);
                for (var j = 1u; j < WIDTH; j++) { // unrolled
                    rows[r * WIDTH + j - 1u] = s_mul_add(negative, pivot[j], rows[r * WIDTH + j]);
                }
                rows[r * WIDTH + WIDTH - 1u] = l;
            } else {
                let done = rows[r * WIDTH];
                for (var j = 1u; j < WIDTH; j++) { // unrolled
                    rows[r * WIDTH + j - 1u] = rows[r * WIDTH + j];
                }
                rows[r * WIDTH + WIDTH - 1u] = done;
            }
        }
    }
    for (var r = 0u; r < ROWS; r++) { // unrolled
        let row = local + r * WORKGROUP;
        if (row < params.height) {
            place[params.number % 2u * params.height + row] = home[r];
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                if (j < params.width) {
                    panels[panel_at(params.number, j, row)] = store(rows[r * WIDTH + j]);
                }
            }
        }
    }
}

// What the panel before asks of a strip of columns, in some of the rows.
fn update(strip: u32, tile: u32, local: u32) {
    let lane = local % LANES;
    let line = local / LANES;
    let start = params.column - params.before;
    let right = params.column + params.width;
    let begin = tile * params.tile;
    let end = min(begin + params.tile, params.height);
    // Panels go home by the way.
    if (strip == 0u) {
        for (var row = begin + line; row < end; row += LINES) {
            for (var k = lane; k < params.before; k += LANES) {
                a[entry_at(row, start + k)] = panels[panel_at(params.number + 2u, k, row)];
            }
        }
    }
    read_triangle(local);
    workgroupBarrier();
    var u: array<array<Scalar, WIDTH>, SPAN>;
    for (var s = 0u; s < SPAN; s++) { // unrolled
        let j = right + strip * STRIP + s * LANES + lane;
        var g: array<Scalar, WIDTH>;
        for (var k = 0u; k < WIDTH; k++) { // unrolled
            g[k] = SCALAR_ZERO;
            if (k < params.before && j < params.limit) {
                g[k] = load(a[entry_at(source[start + k], j)]);
            }
        }
        u[s] = substituted(g);
        if (tile == 0u && line == 0u && j < params.limit) {
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                if (k < params.before) {
                    upper[(start + k) * params.leading + params.first + j] = store(u[s][k]);
                }
            }
        }
    }
    for (var row = begin + line; row < end; row += LINES) {
        if (params.before == 0u || place_before(row) >= params.column) {
            var x: array<Scalar, SPAN>;
            for (var s = 0u; s < SPAN; s++) { // unrolled
                let j = right + strip * STRIP + s * LANES + lane;
                x[s] = SCALAR_ZERO;
                if (j < params.limit) {
                    x[s] = load(a[entry_at(row, j)]);
                }
            }
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                if (k < params.before) {
                    let l = s_neg(load(panels[panel_at(params.number + 2u, k, row)]));
                    for (var s = 0u; s < SPAN; s++) { // unrolled
                        x[s] = s_mul_add(l, u[s][k], x[s]);
                    }
                }
            }
            for (var s = 0u; s < SPAN; s++) { // unrolled
                let j = strip * STRIP + s * LANES + lane;
                if (j < params.next) {
                    panels[panel_at(params.number + 1u, j, row)] = store(x[s]);
                } else if (right + j < params.limit && params.before > 0u) {
                    a[entry_at(row, right + j)] = store(x[s]);
                }
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
    let tiles = (params.height + params.tile - 1u) / params.tile;
    update((group - panel) / tiles, (group - panel) % tiles, local);
}
