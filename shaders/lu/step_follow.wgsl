// A panel of a block follows those before it while they are in work (lu/step_crew.wgsl), GROUP columns at a time: it learns the places
// of their pivots and its rows' L; who has the rows of those pivots sends them to all of its crew, which solve for U there, and take L U
// off. Traffic, for each column: a word or some a row of L, and a row that is stored once and read by each of a crew; and A once.

// A pivot row as it is sent: its elements, and its L in the group.
const FOLLOWED: u32 = WIDTH + GROUP;
const ABOVE: u32 = PARTS * SQUARE;

// LINE columns of A at a time, read by lines: an invocation's row by itself would take a line a load.
var<workgroup> lines: array<Scalar, 1u + (LINE * WORKGROUP - 1u) * min(PARTS - 1u, 1u)>;
var<workgroup> followed_places: array<u32, GROUP>;
var<workgroup> pivot_rows: array<u32, WIDTH>;
var<workgroup> followed_rows: array<Scalar, GROUP * FOLLOWED>;

fn read_rows(first: u32, width: u32, local: u32, line: u32, rows: ptr<function, array<Scalar, ROWS * WIDTH>>) {
    if (PARTS == 1u) {
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let row = min(line + r * WORKGROUP, params.height - 1u);
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                (*rows)[r * WIDTH + j] = load(a[entry_at(row, first + min(j, width - 1u))]);
            }
        }
        return;
    }
    for (var r = 0u; r < ROWS; r++) { // unrolled
        for (var j = 0u; j < WIDTH; j++) { // unrolled
            let e = local + j % LINE * WORKGROUP;
            let row = min(line - local + r * WORKGROUP + e / LINE, params.height - 1u);
            (*rows)[r * WIDTH + j] = load(a[entry_at(row, first + min(j / LINE * LINE + e % LINE, width - 1u))]);
        }
    }
    for (var r = 0u; r < ROWS; r++) { // unrolled
        for (var j = 0u; j < WIDTH; j += LINE) { // unrolled
            for (var i = 0u; i < LINE; i++) { // unrolled
                lines[local + i * WORKGROUP] = (*rows)[r * WIDTH + j + i];
            }
            workgroupBarrier();
            for (var i = 0u; i < LINE; i++) { // unrolled
                (*rows)[r * WIDTH + j + i] = lines[local * LINE + i];
            }
            workgroupBarrier();
        }
    }
}

fn send_lower(part: u32, column: u32, row: u32, l: Scalar) {
    if (!is_last(part)) {
        let words = s_sealed(l);
        let at = lower_letter(part, column, row);
        for (var w = 0u; w < SEALED; w++) { // unrolled
            atomicStore(&status[at + w * params.height], words[w]);
        }
    }
}

// The most columns of panels before, and rounds in which a workgroup takes L there of a panel's pivot rows.
const EARLIER: u32 = (PARTS - 1u) * WIDTH;
const ROUNDS: u32 = (WIDTH * EARLIER + WORKGROUP - 1u) / WORKGROUP;

// The row of a pivot of the panel, if this workgroup has it.
fn pivot_row(i: u32) -> u32 { return select(NOWHERE, pivot_rows[min(i, WIDTH - 1u)], i < WIDTH); }

// Behind the panel, L of its pivot rows left of their rows of U, so that the block on the diagonal lies in one piece
// (lu/exchange_and_borders.wgsl).
fn keep_lower(part: u32, local: u32, line: u32, home: ptr<function, array<u32, ROWS>>) {
    if (PARTS == 1u) {
        return;
    }
    let begin = part * WIDTH;
    let width = min(WIDTH, params.width - begin);
    if (local < WIDTH) {
        pivot_rows[local] = NOWHERE;
    }
    workgroupBarrier();
    for (var r = 0u; r < ROWS; r++) { // unrolled
        let column = (*home)[r] - params.column - begin;
        if (column < width) {
            pivot_rows[column] = line + r * WORKGROUP;
        }
    }
    // L of the panel, too.
    storageBarrier();
    workgroupBarrier();
    var words: array<u32, max(ROUNDS, 1u) * SEALED>;
    for (var s = 0u; s < ROUNDS; s++) { // unrolled
        let e = local + s * WORKGROUP;
        let k = e % EARLIER;
        let row = pivot_row(e / EARLIER);
        // Some word where none is wanted: behind as many branches SwiftShader compiles for minutes.
        let at = select(params.letters, lower_letter(k / WIDTH, k % WIDTH, row), (k < begin) & (row != NOWHERE));
        for (var w = 0u; w < SEALED; w++) { // unrolled
            words[s * SEALED + w] = atomicLoad(&status[at + w * params.height]);
        }
    }
    for (var e = local; e < SQUARE; e += WORKGROUP) {
        let row = pivot_row(e / WIDTH);
        if (e % WIDTH < e / WIDTH && row != NOWHERE) {
            let column = params.column + begin;
            let x = panels[lower_at(params.number, begin + e % WIDTH, row)];
            upper[upper_at(column + e / WIDTH, column + e % WIDTH)] = x;
        }
    }
    for (var s = 0u; s < ROUNDS; s++) { // unrolled
        let e = local + s * WORKGROUP;
        let k = e % EARLIER;
        let row = pivot_row(e / EARLIER);
        if (k < begin && row != NOWHERE) {
            var sent: array<u32, SEALED>;
            for (var w = 0u; w < SEALED; w++) { // unrolled
                sent[w] = words[s * SEALED + w];
            }
            let i = params.column + begin + e / EARLIER;
            upper[upper_at(i, params.column + k)] = store(s_opened(sent));
        }
    }
}

fn follow(
    part: u32,
    local: u32,
    line: u32,
    home: ptr<function, array<u32, ROWS>>,
    rows: ptr<function, array<Scalar, ROWS * WIDTH>>,
) {
    if (PARTS == 1u) {
        return;
    }
    for (var first = 0u; first < part * WIDTH; first += GROUP) {
        follow_columns(part, first, local, line, home, rows);
    }
}

// Columns from `first` of the block on.
fn follow_columns(
    part: u32,
    first: u32,
    local: u32,
    line: u32,
    home: ptr<function, array<u32, ROWS>>,
    rows: ptr<function, array<Scalar, ROWS * WIDTH>>,
) {
    let leader = first / WIDTH;
    let column = first % WIDTH;
    // The last column's pivot is waited for when all that its row is sent with is there: the panel before may be at it.
    var last = MISSING;
    if (local == GROUP - 1u) {
        last = atomicLoad(&status[place_letter(leader, column + local)]);
    } else if (local < GROUP - 1u) {
        followed_places[local] = awaited_place(place_letter(leader, column + local));
    }
    workgroupBarrier();
    // Rows that are no pivots of these columns, nor of those before.
    var is_left: array<bool, ROWS * GROUP>;
    var words: array<u32, ROWS * GROUP * SEALED>;
    for (var e = 0u; e < ROWS * GROUP * SEALED; e++) { // unrolled
        words[e] = MISSING;
    }
    for (var q = 0u; q < GROUP - 1u; q++) { // unrolled
        follow_exchange(params.column + first + q, q, home, &is_left);
    }
    await_lower(leader, column, line, GROUP - 1u, &is_left, &words);
    var l = opened_lower(GROUP - 1u, &is_left, &words);
    send_pivot_rows(part, first, 0u, GROUP - 1u, home, rows, &l);
    if (local == GROUP - 1u) {
        if (last == MISSING) {
            followed_places[local] = awaited_place(place_letter(leader, column + local));
        } else {
            followed_places[local] = opened(last);
        }
    }
    workgroupBarrier();
    follow_exchange(params.column + first + GROUP - 1u, GROUP - 1u, home, &is_left);
    send_pivot_rows(part, first, GROUP - 1u, GROUP, home, rows, &l);
    await_lower(leader, column, line, GROUP, &is_left, &words);
    l = opened_lower(GROUP, &is_left, &words);
    // Who waits for its own workgroup may be all that runs.
    workgroupBarrier();
    for (var e = local; e < GROUP * FOLLOWED; e += WORKGROUP) {
        followed_rows[e] = s_opened(awaited(followed_letter(part, first, e)));
    }
    workgroupBarrier();
    if (local < WIDTH) {
        var u: array<Scalar, GROUP>;
        for (var q = 0u; q < GROUP; q++) { // unrolled
            u[q] = followed_rows[q * FOLLOWED + local];
        }
        for (var k = 0u; k < GROUP; k++) { // unrolled
            for (var q = k + 1u; q < GROUP; q++) { // unrolled
                u[q] = s_mul_add(s_neg(followed_rows[q * FOLLOWED + WIDTH + k]), u[k], u[q]);
            }
        }
        for (var q = 0u; q < GROUP; q++) { // unrolled
            above[(first + q) * WIDTH + local] = u[q];
        }
    }
    workgroupBarrier();
    for (var q = 0u; q < GROUP; q++) { // unrolled
        for (var j = 0u; j < WIDTH; j++) { // unrolled
            let u = above[(first + q) * WIDTH + j];
            for (var r = 0u; r < ROWS; r++) { // unrolled
                (*rows)[r * WIDTH + j] = s_mul_add(s_neg(l[r * GROUP + q]), u, (*rows)[r * WIDTH + j]);
            }
        }
    }
}

// The exchange for the pivot of column `now`, column q of those followed.
fn follow_exchange(
    now: u32,
    q: u32,
    home: ptr<function, array<u32, ROWS>>,
    is_left: ptr<function, array<bool, ROWS * GROUP>>,
) {
    let there = followed_places[q];
    for (var r = 0u; r < ROWS; r++) { // unrolled
        if ((*home)[r] == there) {
            (*home)[r] = now;
        } else if ((*home)[r] == now) {
            (*home)[r] = there;
        }
        (*is_left)[r * GROUP + q] = is_behind((*home)[r], now);
    }
}

// Those of columns `begin` to `end` of those followed.
fn send_pivot_rows(
    part: u32,
    first: u32,
    begin: u32,
    end: u32,
    home: ptr<function, array<u32, ROWS>>,
    rows: ptr<function, array<Scalar, ROWS * WIDTH>>,
    l: ptr<function, array<Scalar, ROWS * GROUP>>,
) {
    // Not written out: only who has a pivot row comes here.
    for (var q = begin; q < end; q++) {
        let now = params.column + first + q;
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if ((*home)[r] == now) {
                for (var e = 0u; e < WIDTH; e++) { // unrolled
                    send_followed(part, first + q, e, (*rows)[r * WIDTH + e]);
                }
                for (var e = 0u; e < GROUP; e++) { // unrolled
                    send_followed(part, first + q, WIDTH + e, (*l)[r * GROUP + e]);
                }
            }
        }
    }
}

// Waits for L of the rows that are left, in the first `count` of the columns; the others are only looked for.
fn await_lower(
    leader: u32,
    column: u32,
    line: u32,
    count: u32,
    is_left: ptr<function, array<bool, ROWS * GROUP>>,
    words: ptr<function, array<u32, ROWS * GROUP * SEALED>>,
) {
    for (var i = 0u; i <= patience; i++) {
        var is_missing = false;
        for (var q = 0u; q < GROUP; q++) { // unrolled
            for (var r = 0u; r < ROWS; r++) { // unrolled
                for (var w = 0u; w < SEALED; w++) { // unrolled
                    let word = (*words)[(r * GROUP + q) * SEALED + w];
                    is_missing = is_missing || (q < count && (*is_left)[r * GROUP + q] && word == MISSING);
                }
            }
        }
        if (!is_missing) {
            return;
        }
        for (var q = 0u; q < GROUP; q++) { // unrolled
            for (var r = 0u; r < ROWS; r++) { // unrolled
                let at = lower_letter(leader, column + q, min(line + r * WORKGROUP, params.height - 1u));
                for (var w = 0u; w < SEALED; w++) { // unrolled
                    (*words)[(r * GROUP + q) * SEALED + w] = atomicLoad(&status[at + w * params.height]);
                }
            }
        }
    }
    give_up();
}

// L of the rows that are left, in the first `count` of the columns, and zeros.
fn opened_lower(
    count: u32,
    is_left: ptr<function, array<bool, ROWS * GROUP>>,
    words: ptr<function, array<u32, ROWS * GROUP * SEALED>>,
) -> array<Scalar, ROWS * GROUP> {
    var l: array<Scalar, ROWS * GROUP>;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        for (var q = 0u; q < GROUP; q++) { // unrolled
            let e = r * GROUP + q;
            l[e] = SCALAR_ZERO;
            if (q < count && (*is_left)[e]) {
                var sent: array<u32, SEALED>;
                for (var w = 0u; w < SEALED; w++) { // unrolled
                    sent[w] = (*words)[e * SEALED + w];
                }
                l[e] = s_opened(sent);
            }
        }
    }
    return l;
}

fn send_followed(part: u32, column: u32, entry: u32, x: Scalar) {
    let words = s_sealed(x);
    let at = followed_letter(part, column, entry);
    for (var w = 0u; w < SEALED; w++) { // unrolled
        atomicStore(&status[at + w], words[w]);
    }
}
