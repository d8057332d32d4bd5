// The columns of a row of packed descriptors, one after the other. A descriptor is read while the run before it is used, so
// that its latency is hidden; entries are counted off rather than looped over, so that neighbours, whose runs differ,
// stay at the same entry and read the values side by side.
struct Walk {
    // Where the descriptor behind the one ahead is, and the place past the last one of the row.
    next: u32,
    end: u32,
    ahead: u32,
    column: u32,
    left: u32,
}

// The descriptor of no run: the end of a row. No run has it (src/sparse/packed/mod.rs).
const NO_RUN: u32 = 0xffffffffu;

// A row whose descriptors are from `begin` to `end`, `step` apart.
fn walk_from(begin: u32, end: u32, step: u32) -> Walk {
    var ahead = NO_RUN;
    if (begin < end) {
        ahead = descriptors[begin];
    }
    return Walk(begin + step, end, ahead, 0u, 0u);
}

// The next column, or PADDING behind the row's last one.
fn next_column(walk: ptr<function, Walk>, step: u32) -> u32 {
    if ((*walk).left == 0u) {
        let descriptor = (*walk).ahead;
        if (descriptor == NO_RUN) {
            return PADDING;
        }
        (*walk).column = extractBits(descriptor, 0u, params.column_bits);
        (*walk).left = extractBits(descriptor, params.column_bits, 32u - params.column_bits) + 1u;
        (*walk).ahead = NO_RUN;
        if ((*walk).next < (*walk).end) {
            (*walk).ahead = descriptors[(*walk).next];
        }
        (*walk).next += step;
    }
    let column = (*walk).column;
    (*walk).column = column + 1u;
    (*walk).left -= 1u;
    return column;
}
