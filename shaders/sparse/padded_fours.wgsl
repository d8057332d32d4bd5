// Adds the entries of ROWS neighbouring rows, `step` apart from slot `first` on, `width` slots in all, PADDING behind those of
// each: rows of ELL, or of a slice of SELL. `first` and `step` are multiples of ROWS, and padding reads no x.
//
// A branch costs a driver on the CPU what both sides cost, a loop that nobody enters one turn: hence a loop for entries in two
// columns, and behind it one for those from the first on that are not.
fn add_padded(sums: ptr<function, array<Scalar, ROWS>>, first: u32, step: u32, width: u32) {
    var j = 0u;
    for (; j < width; j++) {
        let slot = first + j * step;
        let column = columns[slot / ROWS];
        if (any(column == vec4<u32>(PADDING)) || !are_two(column)) {
            break;
        }
        add_entries(sums, slot, x_of_two(column), vec4<bool>(true));
    }
    for (; j < width; j++) {
        let slot = first + j * step;
        let column = columns[slot / ROWS];
        let present = column != vec4<u32>(PADDING);
        if (!any(present)) {
            break;
        }
        add_entries(sums, slot, x_of_each(column, present), present);
    }
}
