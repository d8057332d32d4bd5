// The columns of a row of packed descriptors, one after the other. A descriptor is read while the run before it is used, so
// that its latency is hidden; entries are counted off rather than looped over, so that neighbours, whose runs differ,
// stay at the same entry and read the values side by side.
struct Walk {
    // Where the descriptor behind the one ahead is, and the place past the last one of the row.
    next: u32,
    end: u32,
    ahead: u32,
    // The next column, and the one past its run.
    column: u32,
    past: u32,
}

// The descriptor of no run: the end of a row. Its columns are past every matrix (src/sparse/packed/mod.rs).
const NO_RUN: u32 = 0xffffffffu;

// A row whose descriptors are from `begin` to `end`, `step` apart.
fn walk_from(begin: u32, end: u32, step: u32) -> Walk {
    var ahead = NO_RUN;
    if (begin < end) {
        ahead = descriptors[begin];
    }
    return Walk(begin + step, end, ahead, 0u, 0u);
}

// The next column; behind the row's last one, no column. One counter tells which column it is and whether the run is over.
fn next_column(walk: ptr<function, Walk>, step: u32) -> u32 {
    if ((*walk).column == (*walk).past) {
        let descriptor = (*walk).ahead;
        (*walk).column = extractBits(descriptor, 0u, params.column_bits);
        (*walk).past = (*walk).column + extractBits(descriptor, params.column_bits, 32u - params.column_bits) + 1u;
        (*walk).ahead = NO_RUN;
        if ((*walk).next < (*walk).end) {
            (*walk).ahead = descriptors[(*walk).next];
        }
        (*walk).next += step;
    }
    let column = (*walk).column;
    (*walk).column = column + 1u;
    return column;
}

fn is_no_column(column: u32) -> bool { return column >= extractBits(NO_RUN, 0u, params.column_bits); }
