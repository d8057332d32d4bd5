// A panel of a block follows those before it while they are in work (lu/step_crew.wgsl), GROUP columns at a time: it learns the places
// of their pivots and its rows' L; who has the rows of those pivots sends them to all of its crew, which solve for U there, and take L U
// off. Traffic, for each column: a word or some a row of L, and a row that is stored once and read by each of a crew; and A once.

// A pivot row as it is sent: its elements, and its L in the group.
const FOLLOWED: u32 = WIDTH + GROUP;
const ABOVE: u32 = PARTS * SQUARE;

// LINE columns of A at a time, read by lines: an invocation's row by itself would take a line a load.
var<workgroup> lines: array<Scalar, 1u + (LINE * WORKGROUP - 1u) * min(PARTS - 1u, 1u)>;
var<workgroup> followed_places: array<u32, GROUP>;
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
    if (local < GROUP) {
        followed_places[local] = awaited_place(place_letter(leader, column + local));
    }
    workgroupBarrier();
    // Rows that are no pivots of these columns, nor of those before.
    var is_left: array<bool, ROWS * GROUP>;
    for (var q = 0u; q < GROUP; q++) { // unrolled
        let now = params.column + first + q;
        let there = followed_places[q];
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if ((*home)[r] == there) {
                (*home)[r] = now;
            } else if ((*home)[r] == now) {
                (*home)[r] = there;
            }
            is_left[r * GROUP + q] = is_behind((*home)[r], now);
        }
    }
    let l = awaited_lower(leader, column, line, &is_left);
    // Not written out: only who has a pivot row comes here.
    for (var q = 0u; q < GROUP; q++) {
        let now = params.column + first + q;
        for (var r = 0u; r < ROWS; r++) { // unrolled
            if ((*home)[r] == now) {
                for (var e = 0u; e < WIDTH; e++) { // unrolled
                    send_followed(part, first + q, e, (*rows)[r * WIDTH + e]);
                }
                for (var e = 0u; e < GROUP; e++) { // unrolled
                    send_followed(part, first + q, WIDTH + e, l[r * GROUP + e]);
                }
            }
        }
    }
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

// L of the rows that are left, and zeros.
fn awaited_lower(
    leader: u32,
    column: u32,
    line: u32,
    is_left: ptr<function, array<bool, ROWS * GROUP>>,
) -> array<Scalar, ROWS * GROUP> {
    var words: array<u32, ROWS * GROUP * SEALED>;
    for (var i = 0u; i <= patience; i++) {
        var is_missing = false;
        for (var q = 0u; q < GROUP; q++) { // unrolled
            for (var r = 0u; r < ROWS; r++) { // unrolled
                let at = lower_letter(leader, column + q, min(line + r * WORKGROUP, params.height - 1u));
                for (var w = 0u; w < SEALED; w++) { // unrolled
                    let word = atomicLoad(&status[at + w * params.height]);
                    words[(r * GROUP + q) * SEALED + w] = word;
                    is_missing = is_missing || ((*is_left)[r * GROUP + q] && word == MISSING);
                }
            }
        }
        if (!is_missing) {
            break;
        }
        if (i == patience) {
            give_up();
        }
    }
    var l: array<Scalar, ROWS * GROUP>;
    for (var e = 0u; e < ROWS * GROUP; e++) { // unrolled
        l[e] = SCALAR_ZERO;
        if ((*is_left)[e]) {
            var sent: array<u32, SEALED>;
            for (var w = 0u; w < SEALED; w++) { // unrolled
                sent[w] = words[e * SEALED + w];
            }
            l[e] = s_opened(sent);
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
