// The entries of a row that are `step` apart from slot `first` on, `width` slots in all, PADDING behind them: a row of ELL, or
// of a slice of SELL. Padding reads no X.
fn add_padded(sums: ptr<function, array<Scalar, EACH>>, first: u32, step: u32, width: u32, lane: u32) {
    for (var j = 0u; j < width; j++) {
        let slot = first + j * step;
        let column = columns[slot];
        if (column == PADDING) {
            break;
        }
        add_entry(sums, load(values[slot]), column, lane);
    }
}
