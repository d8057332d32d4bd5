// Runs of ROWS rows that lie side by side, as their values do. What the runs are, the format says: runs_at, those of all rows at
// a place, and runs_of_each, those of some rows, each at its own.

// A run of each row: the column of the next entry, and how many are left; none, where a row has no more.
struct Runs {
    column: vec4<u32>,
    left: vec4<u32>,
}

// Where the first row's runs, or values, are: from `first` on, `step` apart.
struct Line {
    first: u32,
    end: u32,
    step: u32,
}

// Whether all rows have a run, and of one length.
fn are_alike(runs: Runs) -> bool { return runs.left.x != 0u && all(runs.left == runs.left.xxxx); }

// Run by run while runs are alike and begin in neighbouring columns, as those of a grid's neighbours do; then while they are
// alike and begin in two columns; then while they are alike; and then entry by entry, each row in a run of its own. Why these
// are loops one behind the other, ../padded_fours.wgsl says. src/sparse/spmv/fours.rs counts their turns.
fn add_runs(sums: ptr<function, array<Scalar, ROWS>>, places: Line, slots: Line) {
    var at = places.first;
    var slot = slots.first;
    for (; at < places.end; at += places.step) {
        let runs = runs_at(at);
        if (!are_alike(runs) || !are_next(runs.column)) {
            break;
        }
        var factors = x_behind(runs.column);
        for (var k = 0u; k < runs.left.x; k++) {
            x_of_next(&factors, runs.column, k);
            add_entries(sums, slot, factors, vec4<bool>(true));
            slot += slots.step;
        }
    }
    for (; at < places.end; at += places.step) {
        let runs = runs_at(at);
        if (!are_alike(runs) || !are_two(runs.column)) {
            break;
        }
        for (var k = 0u; k < runs.left.x; k++) {
            add_entries(sums, slot, x_of_two(runs.column + k), vec4<bool>(true));
            slot += slots.step;
        }
    }
    for (; at < places.end; at += places.step) {
        let runs = runs_at(at);
        if (!are_alike(runs)) {
            break;
        }
        for (var k = 0u; k < runs.left.x; k++) {
            add_entries(sums, slot, x_of_each(runs.column + k, vec4<bool>(true)), vec4<bool>(true));
            slot += slots.step;
        }
    }
    var next = vec4<u32>(at);
    var runs = Runs();
    for (; slot < slots.end; slot += slots.step) {
        let ended = runs.left == vec4<u32>(0u);
        let reads = ended & (next < vec4<u32>(places.end));
        let begun = runs_of_each(next, reads);
        next += select(vec4<u32>(0u), vec4<u32>(places.step), reads);
        runs.column = select(runs.column, begun.column, ended);
        runs.left = select(runs.left, begun.left, ended);
        let present = runs.left != vec4<u32>(0u);
        if (!any(present)) {
            break;
        }
        add_entries(sums, slot, x_of_each(runs.column, present), present);
        runs.column += 1u;
        runs.left -= select(vec4<u32>(0u), vec4<u32>(1u), present);
    }
}
