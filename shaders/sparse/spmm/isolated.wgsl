// The isolated entries of a row, from `begin` to `end` of them, behind those of its runs (../rbp/isolated.wgsl).
fn add_isolated(sums: ptr<function, array<Scalar, EACH>>, begin: u32, end: u32, lane: u32) {
    for (var k = begin; k < end; k++) {
        let column = columns[params.isolated_columns + k];
        add_entry(sums, load(values[params.isolated_values + k]), column, lane);
    }
}
