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
    let runs = Line(row, params.isolated_columns, 2u * params.rows);
    add_runs(sums, runs, Line(row, params.isolated_values, params.rows));
    var begin: array<u32, ROWS + 1u>;
    for (var i = 0u; i < ROWS + 1u; i++) { // unrolled
        begin[i] = isolated_from(row + i);
    }
    add_isolated(sums, begin);
}

// No run begins and ends at the same column: that is padding.
fn runs_between(column: vec4<u32>, last: vec4<u32>) -> Runs {
    return Runs(column, select(last - column + 1u, vec4<u32>(0u), column == last));
}

// Their first columns are at `at`, their last ones `params.rows` further.
fn runs_at(at: u32) -> Runs { return runs_between(columns[at / ROWS], columns[(at + params.rows) / ROWS]); }

fn runs_of_each(at: vec4<u32>, reads: vec4<bool>) -> Runs {
    var column = vec4<u32>(0u);
    var last = vec4<u32>(0u);
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (reads[i]) {
            column[i] = columns[at[i] / ROWS][i];
            last[i] = columns[(at[i] + params.rows) / ROWS][i];
        }
    }
    return runs_between(column, last);
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
