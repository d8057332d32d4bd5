// ROWS neighbouring rows an invocation, so that what is read of x is shared. What the rows are, and how they are summed, the
// format says: row_of and add_rows. Each is summed in the order of the format's host version. Traffic: the matrix once, x as
// the caches have it, y once or, with beta, twice.
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

// Whether each row has the column behind that of the row before.
fn are_next(column: vec4<u32>) -> bool { return all(column == column.x + vec4<u32>(0u, 1u, 2u, 3u)); }

// x for rows of such columns: x_behind comes before the first entry of a run, x_of_next for the k-th, one after the other. A row
// has next what the row behind it has now.
fn x_behind(column: vec4<u32>) -> array<Element, ROWS> {
    var factors: array<Element, ROWS>;
    for (var i = 1u; i < ROWS; i++) { // unrolled
        factors[i] = x_at(column.x + i - 1u);
    }
    return factors;
}

fn x_of_next(factors: ptr<function, array<Element, ROWS>>, column: vec4<u32>, k: u32) {
    for (var i = 1u; i < ROWS; i++) { // unrolled
        (*factors)[i - 1u] = (*factors)[i];
    }
    (*factors)[ROWS - 1u] = x_at(column.w + k);
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
