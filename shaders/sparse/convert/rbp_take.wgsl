// Writes the columns of a row's runs, first and last of each, and the entries of their values, stride apart; and behind all runs
// those of its isolated entries.
@group(0) @binding(4) var<storage, read_write> laid: array<u32>;
@group(0) @binding(5) var<storage, read_write> places: array<u32>;

// 1, or the rows of RBP-ELL.
var<private> stride: u32 = 1u;
var<private> next_value: u32 = 0u;
var<private> next_column: u32 = 0u;
var<private> next_isolated: u32 = 0u;

fn take(first: u32, entries: u32, entry: u32) {
    if (entries == 1u) {
        laid[params.isolated_columns + next_isolated] = first;
        places[params.isolated_values + next_isolated] = entry;
        next_isolated += 1u;
        return;
    }
    laid[next_column] = first;
    laid[next_column + stride] = first + entries - 1u;
    next_column += 2u * stride;
    for (var e = 0u; e < entries; e++) {
        places[next_value] = entry + e;
        next_value += stride;
    }
}
