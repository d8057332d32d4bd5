// ROWS neighbouring rows an invocation, for formats in which the entries of rows lie side by side: 16 bytes at a time, which
// cost a driver that loads lane by lane half of what single words do. What the rows are, and how they are summed, the format
// says: row_of and add_rows. Each is summed in the order of the format's host version. Traffic: the matrix once, x as the
// caches have it, y once or, with beta, twice.
const ROWS: u32 = 4u;

// Whether rows have the column of the first or of the last, as those of points with three unknowns and more have.
fn are_two(column: vec4<u32>) -> bool { return all((column == column.xxxx) | (column == column.wwww)); }

// x for rows of two columns, each read once.
fn x_of_two(column: vec4<u32>) -> array<Element, ROWS> {
    let of_first = x_at(column.x);
    let of_last = x_at(column.w);
    var factors: array<Element, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        factors[i] = of_last;
        if (column[i] == column.x) {
            factors[i] = of_first;
        }
    }
    return factors;
}

// x for the rows that have an entry.
fn x_of_each(column: vec4<u32>, present: vec4<bool>) -> array<Element, ROWS> {
    var factors: array<Element, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (present[i]) {
            factors[i] = x_at(column[i]);
        }
    }
    return factors;
}

// Adds an entry of each row that has one; the first row's value is in `slot`, a multiple of ROWS.
fn add_entries(
    sums: ptr<function, array<Scalar, ROWS>>,
    slot: u32,
    factors: array<Element, ROWS>,
    present: vec4<bool>,
) {
    var value: array<Pack, ROWS / PACK>;
    for (var p = 0u; p < ROWS / PACK; p++) { // unrolled
        value[p] = values[slot / PACK + p];
    }
    for (var i = 0u; i < ROWS; i++) { // unrolled
        if (present[i]) {
            (*sums)[i] = s_mul_add(unpack(value[i / PACK], i % PACK), load(factors[i]), (*sums)[i]);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn spmv_fours(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let first = ROWS * (group * WORKGROUP + local);
    if (first < params.rows) {
        var sums: array<Scalar, ROWS>;
        for (var i = 0u; i < ROWS; i++) { // unrolled
            sums[i] = SCALAR_ZERO;
        }
        place_x();
        add_rows(first, &sums);
        for (var i = 0u; i < ROWS; i++) { // unrolled
            if (first + i < params.rows) {
                give(row_of(first + i), sums[i]);
            }
        }
    }
    close(local, group);
}
