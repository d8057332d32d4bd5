// A step of P A = L U inside a block of columns that begins at row and column `first`; rows and columns count from there.
// Workgroup 0, or several, factors a panel of WIDTH columns with its rows in registers; the others do what the panel before it asks of
// the columns to the right, at the same time. Or all panels of a block are factored, by crews of workgroups that follow one another
// (lu/step_crew.wgsl): then nothing is left to be asked inside the block.
// Rows do not move: a row has a place, where it will go (lu/exchange.wgsl and lu/reorder.wgsl move them), and one whose place is a
// pivot's is finished. Rows of U go to `upper`.
// panels: four panels by columns: two as they are, in turns, the one being factored and its successor; and two of L, in turns.
// A block has one stage or several. As one begins, the rows that are left are numbered anew, in the order of their places, so that
// finished rows take no registers; all tables but those of A have a stage's numbers.
//
// Traffic: the panel and its predecessor are read once and the panel is written; of the columns to the right each element
// is read and written once, with WIDTH multiply-adds. Entry and election: lu/step_{subgroups,workgroup,crew}.wgsl, which say
// how many workgroups hold panels (in_work, hold_panels), where a candidate is published (slot_of), who wins (winner_of), what its row
// and place are (run_of_winner, place_of_winner), and in which slot they stay until the panel is done (keep). lu/step_{alone,follow}.wgsl
// say how the rows of a block's first panel are read (read_rows), and what panels of one dispatch send each other (follow, send_lower) and
// leave behind (keep_lower).
struct Params {
    // Rows of the block, which tables have, and of the stage.
    pitch: u32,
    height: u32,
    first: u32,
    leading: u32,
    // The panel, or all of the block: the first column, the columns (0: there are none), its number; and the columns of the one before
    // (0: none).
    column: u32,
    width: u32,
    number: u32,
    before: u32,
    // The number of its stage; whether it is the first of one that is not the first, and whether it is the last of its stage.
    stage: u32,
    renumbered: u32,
    closes: u32,
    // The width of the panel after it, the end of the columns to the right, the first of the workgroups that bring them up to date,
    // how many these are, and how many share the rows of a strip.
    next: u32,
    limit: u32,
    first_strip: u32,
    strips: u32,
    tiles: u32,
    // The first of the workgroups that do what the block before asks (lu/trailing.wgsl), and how many these are: it begins at row and
    // column `done` of A, and asks it of the columns from `left` to `right`. `across` tiles are beside each other, and the first of these
    // workgroups does `tile`.
    first_tile: u32,
    besides: u32,
    done: u32,
    left: u32,
    right: u32,
    across: u32,
    tile: u32,
    // How many workgroups hold a panel, and how many panels are held at once; and if several may, where what they send begins
    // (lu/letters.wgsl), and where and how much they did in the dispatch before.
    crew: u32,
    crews: u32,
    letters: u32,
    former_letters: u32,
    former_words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> panels: array<Element>;
@group(0) @binding(3) var<storage, read_write> upper: array<Element>;
@group(0) @binding(4) var<storage, read_write> place: array<u32>;
@group(0) @binding(5) var<storage, read_write> source: array<u32>;
@group(0) @binding(6) var<storage, read_write> pivots: array<u32>;
// The first column without a pivot, or what went wrong; behind it, what workgroups send each other.
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>>;

const NOWHERE: u32 = 0xffffffffu;
// Columns of a table of panels, the most that a panel has; L of a whole block takes the last two tables, and more.
const WIDEST: u32 = 16u;
const SQUARE: u32 = WIDTH * WIDTH;
const SQUARE_SHARE: u32 = (SQUARE + WORKGROUP - 1u) / WORKGROUP;
// A row as it is published: whole runs.
const STRIDE: u32 = (WIDTH + RUN - 1u) / RUN * RUN;

// A row that may become the pivot: the larger rank wins, then the smaller place.
struct Candidate {
    rank: vec2<u32>,
    place: u32,
}

// For each column, the best row of each group of invocations and, at the end, which of them was the pivot's: all is kept
// until the panel is done, since the stores of one column would hold up the next.
var<workgroup> published: array<Run, PUBLISHED * STRIDE / RUN>;
var<workgroup> elected: array<Candidate, PUBLISHED>;
var<workgroup> winners: array<u32, WIDTH>;
// L of the pivot rows of the panel before, by columns, and their rows of U in this one; or those of all panels before it in the block.
var<workgroup> triangle: array<Scalar, WIDTH * STRIDE>;
var<workgroup> above: array<Scalar, ABOVE>;

fn better(x: Candidate, y: Candidate) -> bool {
    if (x.rank.x != y.rank.x) {
        return x.rank.x > y.rank.x;
    }
    if (x.rank.y != y.rank.y) {
        return x.rank.y > y.rank.y;
    }
    return x.place < y.place;
}

// Whether a place is behind another, and somewhere, in one comparison: by its sign, NOWHERE is before all.
fn is_behind(place: u32, other: u32) -> bool { return bitcast<i32>(place) > bitcast<i32>(other); }

// The better of a candidate and a row.
fn candidate_or(mine: Candidate, entry: Scalar, place: u32) -> Candidate {
    let other = Candidate(s_rank(entry), place);
    if (better(other, mine)) {
        return other;
    }
    return mine;
}

// Where a panel is as it comes, and where its L goes.
fn panel_at(number: u32, column: u32, row: u32) -> u32 {
    return (number % 2u * WIDEST + column) * params.pitch + row;
}
fn lower_at(number: u32, column: u32, row: u32) -> u32 {
    return ((2u + number % 2u) * WIDEST + column) * params.pitch + row;
}

fn entry_at(row: u32, column: u32) -> u32 {
    return (params.first + row) * params.leading + params.first + column;
}

fn upper_at(row: u32, column: u32) -> u32 { return row * params.limit + column; }

// The table in which a panel finds where its rows go, or, if they are numbered anew, what numbers they had.
fn home_table() -> u32 {
    return select(places_of(params.number + 1u), former_numbers(params.stage), params.renumbered == 1u);
}

// The number that a row had in the tables of the panel before, by what that table says.
fn number_before(row: u32, found: u32) -> u32 {
    return select(min(row, params.height - 1u), found, params.renumbered == 1u);
}

// The stage of the panel before, and where its table of rows of the block begins; the first stage has all, in order.
fn stage_before() -> u32 { return params.stage - params.renumbered; }
fn origins(stage: u32) -> u32 { return rows_of_block(stage) * params.pitch; }

// The row that holds row i of L11 of the panel before, in its numbers; the last one past it.
fn pivot_row_before(i: u32) -> u32 { return source[params.column - params.before + min(i, params.before - 1u)]; }

// L11 of the panel before, whose row i is in `row`, with zeros for what is not there.
fn triangle_at(i: u32, k: u32, row: u32) -> Scalar {
    if (k < i && i < params.before) {
        return load(panels[lower_at(params.number + 1u, k, row)]);
    }
    return SCALAR_ZERO;
}

// Column k of L of the panel before, of a row by its number there.
fn lower_before(k: u32, row: u32) -> Scalar { return load(panels[lower_at(params.number + 1u, k, row)]); }

// `line` is the first row of an invocation, which has each WORKGROUP of them; the panel is number `part` of those of the dispatch.
fn factor_panel(part: u32, local: u32, line: u32) {
    let begin = part * WIDTH;
    let first_column = params.column + begin;
    let width = min(WIDTH, params.width - begin);
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
            home[r] = place[home_table() * params.pitch + min(line + r * WORKGROUP, params.height - 1u)];
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let row = number_before(line + r * WORKGROUP, home[r]);
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                rows[r * WIDTH + j] = load(panels[panel_at(params.number, j, row)]);
            }
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                ahead[r * CHUNK + q] = lower_before(q, row);
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
            home[r] = min(line + r * WORKGROUP, params.height - 1u);
        }
        read_rows(first_column, width, local, line, &rows);
    }
    for (var s = local; s < OWN; s += WORKGROUP) {
        elect(s, Candidate(vec2<u32>(0u), NOWHERE));
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
        // So many rounds are not WIDTH to compilers: a loop that they write out fetches each instruction once.
        for (var k = 0u; k < params.before; k += CHUNK) {
            let l = ahead;
            if (k + CHUNK < params.before) {
                for (var r = 0u; r < ROWS; r++) { // unrolled
                    let row = number_before(line + r * WORKGROUP, home[r]);
                    for (var q = 0u; q < CHUNK; q++) { // unrolled
                        ahead[r * CHUNK + q] = lower_before(k + CHUNK + q, row);
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
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if (params.renumbered == 1u) {
            home[r] = params.column + line + r * WORKGROUP;
        }
        if (line + r * WORKGROUP >= params.height) {
            home[r] = NOWHERE;
        }
    }
    follow(part, local, line, &home, &rows);
    // Who has to leave a place to a pivot had one of the panel's places when it began.
    var on_top = false;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        on_top = on_top || home[r] - first_column < width;
    }
    // Column after column: the one in work is always the first, since an unrolled loop would fetch each instruction once
    // and an index that varies would put the rows in memory. What is finished leaves: columns of L, and rows of U.
    var mine = Candidate(vec2<u32>(0u), NOWHERE);
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if (is_behind(home[r], first_column - 1u)) {
            mine = candidate_or(mine, rows[r * WIDTH], home[r]);
        }
    }
    var column_at = lower_at(params.number, begin, line);
    for (var c = 0u; c < width; c++) {
        let now = first_column + c;
        if (is_elected(local, mine)) {
            let slot = slot_of(c);
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
        let winner = winner_of(part, c, local);
        var pivot: array<Run, STRIDE / RUN>;
        for (var j = 0u; j < WIDTH; j += RUN) { // unrolled
            pivot[j / RUN] = run_of_winner(winner, j);
        }
        let there = place_of_winner(winner);
        // Not who sends, in a crew.
        if (local == WORKGROUP - 1u) {
            winners[c] = keep(part, c, winner, &pivot, there);
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
        // Of few rows, all are looked through in less than the branch takes.
        if (ROWS <= 2u || on_top || mine.place == there) {
            for (var r = 0u; r < ROWS; r++) { // unrolled
                if (home[r] == there) {
                    home[r] = now;
                } else if (home[r] == now) {
                    home[r] = there;
                }
            }
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let negative = s_neg(l[r]);
            for (var j = 1u; j < WIDTH; j++) { // unrolled
                rows[r * WIDTH + j - 1u] = s_mul_add(negative, pivot[j / RUN][j % RUN], rows[r * WIDTH + j]);
            }
        }
        mine = Candidate(vec2<u32>(0u), NOWHERE);
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if (is_behind(home[r], now)) {
                panels[column_at + r * WORKGROUP] = store(l[r]);
                send_lower(part, c, line + r * WORKGROUP, l[r]);
                mine = candidate_or(mine, rows[r * WIDTH], home[r]);
            }
        }
        column_at += params.pitch;
    }
    if (is_last(part)) {
        note_places(line, &home);
    }
    workgroupBarrier();
    keep_lower(part, local, line, &home);
    if (line != local) {
        return;
    }
    for (var e = local; e < (params.before + begin) * WIDTH; e += WORKGROUP) {
        if (e % WIDTH < width) {
            upper[upper_at(params.column - params.before + e / WIDTH, first_column + e % WIDTH)] = store(above[e]);
        }
    }
    for (var e = local; e < width * WIDTH; e += WORKGROUP) {
        let c = e / WIDTH;
        let j = c + e % WIDTH;
        if (j < width) {
            let run = published[(winners[c] * STRIDE + e % WIDTH) / RUN];
            var x = run[0];
            for (var i = 1u; i < RUN; i++) { // unrolled
                if (e % WIDTH % RUN == i) {
                    x = run[i];
                }
            }
            upper[upper_at(first_column + c, first_column + j)] = store(x);
        }
    }
    if (local < width) {
        pivots[params.first + first_column + local] = params.first + elected[winners[local]].place;
        if (lacks_pivot(local)) {
            name_column(params.first + first_column + local + 1u);
        }
    }
}

// Of a column whose pivot is elected.
fn lacks_pivot(column: u32) -> bool { return is_zero(published[winners[column] * STRIDE / RUN][0]); }

// Notes a column without a pivot, if none before it is noted, nor that something else is wrong: panels end in any order.
fn name_column(column: u32) {
    var known = atomicLoad(&status[0]);
    while (known == 0u || (column < known && known < NOWHERE - 1u)) {
        let found = atomicCompareExchangeWeak(&status[0], known, column);
        if (found.exchanged) {
            return;
        }
        known = found.old_value;
    }
}

// Where rows go, behind the last panel of a dispatch, and where the pivots' are.
fn note_places(line: u32, home: ptr<function, array<u32, ROWS>>) {
    let end = params.column + params.width;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        let to = (*home)[r];
        if (to != NOWHERE) {
            place[places_of(params.number) * params.pitch + line + r * WORKGROUP] = to;
            if (to >= end) {
                if (params.closes == 1u) {
                    place[former_numbers(params.stage + 1u) * params.pitch + to - end] = line + r * WORKGROUP;
                }
            } else if (to >= params.column) {
                source[to] = line + r * WORKGROUP;
                // A whole block is one dispatch, so the table of the panel behind it is free: lu/exchange_and_borders.wgsl finds them there.
                if (PARTS > 1u) {
                    place[places_of(params.number + 1u) * params.pitch + to] = line + r * WORKGROUP;
                }
            }
        }
    }
}

fn step(group: u32, local: u32) {
    let panel = select(0u, in_work(), params.width > 0u);
    if (group < panel) {
        hold_panels(group, local);
        return;
    }
    let other = group - panel;
    // Large for who comes before.
    let strip = other - params.first_strip;
    if (strip < params.strips) {
        update(strip / params.tiles, strip % params.tiles, local);
        return;
    }
    let beside = other - params.first_tile;
    if (beside < params.besides) {
        update_trailing(params.tile + beside, local);
    }
}
