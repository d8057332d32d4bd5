// ROWS neighbouring rows of RBP-ELL, 16 bytes at a time: their runs, then their isolated entries. Rows that are summed by the
// same loops come together, so that lanes of the driver do not wait for others; four_at and isolated_from are the format's.

fn four_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return ROWS * four_at(position / ROWS);
    }
    return position / ROWS * ROWS;
}

fn row_of(position: u32) -> u32 { return four_of(position) + position % ROWS; }

fn add_rows(position: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let row = four_of(position);
    add_runs(sums, row);
    var begin: array<u32, ROWS + 1u>;
    for (var i = 0u; i < ROWS + 1u; i++) { // unrolled
        begin[i] = isolated_from(row + i);
    }
    add_isolated(sums, begin);
}

// A run of each row: the column of the next entry, and how many are left.
struct Runs {
    column: vec4<u32>,
    left: vec4<u32>,
}

fn runs_between(column: vec4<u32>, last: vec4<u32>) -> Runs {
    // No run begins and ends at the same column: that is padding.
    return Runs(column, select(last - column + 1u, vec4<u32>(0u), column == last));
}

// The run of each row whose columns are at `at` and `params.rows` further.
fn runs_at(at: u32) -> Runs { return runs_between(columns[at / ROWS], columns[(at + params.rows) / ROWS]); }

// Whether all rows have a run, and of one length.
fn are_alike(runs: Runs) -> bool { return runs.left.x != 0u && all(runs.left == runs.left.xxxx); }

// Run by run while runs are alike and begin in neighbouring columns, as those of a grid's neighbours do; then while they are
// alike and begin in two columns; then while they are alike; and then entry by entry, each row in a run of its own. Why these
// are loops one behind the other, ../padded_fours.wgsl says. src/sparse/spmv/fours.rs counts their turns.
fn add_runs(sums: ptr<function, array<Scalar, ROWS>>, row: u32) {
    var at = row;
    var slot = row;
    for (; at < params.isolated_columns; at += 2u * params.rows) {
        let runs = runs_at(at);
        if (!are_alike(runs) || !are_next(runs.column)) {
            break;
        }
        var factors = x_behind(runs.column);
        for (var k = 0u; k < runs.left.x; k++) {
            x_of_next(&factors, runs.column, k);
            add_entries(sums, slot, factors, vec4<bool>(true));
            slot += params.rows;
        }
    }
    for (; at < params.isolated_columns; at += 2u * params.rows) {
        let runs = runs_at(at);
        if (!are_alike(runs) || !are_two(runs.column)) {
            break;
        }
        for (var k = 0u; k < runs.left.x; k++) {
            add_entries(sums, slot, x_of_two(runs.column + k), vec4<bool>(true));
            slot += params.rows;
        }
    }
    for (; at < params.isolated_columns; at += 2u * params.rows) {
        let runs = runs_at(at);
        if (!are_alike(runs)) {
            break;
        }
        for (var k = 0u; k < runs.left.x; k++) {
            add_entries(sums, slot, x_of_each(runs.column + k, vec4<bool>(true)), vec4<bool>(true));
            slot += params.rows;
        }
    }
    var next = vec4<u32>(at);
    var runs = Runs();
    for (; slot < params.isolated_values; slot += params.rows) {
        var column = vec4<u32>(0u);
        var last = vec4<u32>(0u);
        let ended = runs.left == vec4<u32>(0u);
        let reads = ended & (next < vec4<u32>(params.isolated_columns));
        for (var i = 0u; i < ROWS; i++) { // unrolled
            if (reads[i]) {
                column[i] = columns[next[i] / ROWS][i];
                last[i] = columns[(next[i] + params.rows) / ROWS][i];
            }
        }
        next += select(vec4<u32>(0u), vec4<u32>(2u * params.rows), reads);
        let begun = runs_between(column, last);
        runs.column = select(runs.column, begun.column, ended);
        runs.left = select(runs.left, begun.left, ended);
        let present = runs.left != vec4<u32>(0u);
        if (!any(present)) {
            break;
        }
        add_entries(sums, slot, x_of_each(runs.column, present), present);
        runs.column += 1u;
        runs.left -= select(vec4<u32>(0u), vec4<u32>(1u), present);
    }
}

// The isolated entries of the rows, which lie behind each other, in one loop; the first row's begin at `begin[0]`. Those
// among values and among columns begin at multiples of ROWS.
fn add_isolated(sums: ptr<function, array<Scalar, ROWS>>, begin: array<u32, ROWS + 1u>) {
    let past = begin[ROWS];
    for (var first = begin[0] / ROWS * ROWS; first < past; first += ROWS) {
        let column = columns[(params.isolated_columns + first) / ROWS];
        var value: array<Pack, ROWS / PACK>;
        for (var p = 0u; p < ROWS / PACK; p++) { // unrolled
            // Of the last quad, packs behind the last entry may not be there.
            value[p] = values[(params.isolated_values + min(first + p * PACK, past - 1u)) / PACK];
        }
        for (var e = 0u; e < ROWS; e++) { // unrolled
            let k = first + e;
            if (k >= begin[0] && k < past) {
                let factor = load(x_at(column[e]));
                var sum = (*sums)[0];
                for (var i = 1u; i < ROWS; i++) { // unrolled
                    if (k >= begin[i]) {
                        sum = (*sums)[i];
                    }
                }
                sum = s_mul_add(unpack(value[e / PACK], e % PACK), factor, sum);
                for (var i = 0u; i < ROWS; i++) { // unrolled
                    if (k >= begin[i] && k < begin[i + 1u]) {
                        (*sums)[i] = sum;
                    }
                }
            }
        }
    }
}
