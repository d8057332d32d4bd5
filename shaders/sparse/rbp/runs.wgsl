// The columns of a row's runs, first and last stored `step` apart (Kawamura et al. 2020, algorithms 4 and 5). The next pair is
// read while a run is used, and entries are counted off rather than looped over, so that neighbours, whose runs differ,
// stay at the same entry.
struct Walk {
    // Where the pair behind the one ahead is, and the place past the last one of the row.
    next: u32,
    end: u32,
    ahead: vec2<u32>,
    column: u32,
    last: u32,
}

fn pair_at(at: u32, end: u32, step: u32) -> vec2<u32> {
    // No run begins and ends at the same column: that is padding.
    var pair = vec2<u32>(0u, 0u);
    if (at < end) {
        pair = vec2<u32>(columns[at], columns[at + step]);
    }
    return pair;
}

fn walk_from(begin: u32, end: u32, step: u32) -> Walk {
    return Walk(begin + 2u * step, end, pair_at(begin, end, step), 1u, 0u);
}

// The next column in a run, or PADDING behind the last one.
fn next_column(walk: ptr<function, Walk>, step: u32) -> u32 {
    if ((*walk).column > (*walk).last) {
        let pair = (*walk).ahead;
        if (pair.x == pair.y) {
            return PADDING;
        }
        (*walk).column = pair.x;
        (*walk).last = pair.y;
        (*walk).ahead = pair_at((*walk).next, (*walk).end, step);
        (*walk).next += 2u * step;
    }
    let column = (*walk).column;
    (*walk).column = column + 1u;
    return column;
}
