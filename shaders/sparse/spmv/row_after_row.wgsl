// Runs of ROWS rows whose values lie row after row: a word of each at a time, while x is shared. What the runs are, the format
// says: runs_at, and RUN_STEP, the numbers that one takes.

// A run of each row, none of those that have no more: the column of its first entry, and how many it has.
struct Runs {
    column: vec4<u32>,
    length: vec4<u32>,
}

fn are_alike(runs: Runs) -> bool { return runs.length.x != 0u && all(runs.length == runs.length.xxxx); }

fn add_words(sums: ptr<function, array<Scalar, ROWS>>, slot: vec4<u32>, factors: array<Element, ROWS>) {
    for (var i = 0u; i < ROWS; i++) { // unrolled
        (*sums)[i] = s_mul_add(load(values[slot[i]]), load(factors[i]), (*sums)[i]);
    }
}

// Adds the runs from `begin` to `end` of each row, whose values are from `first` on. Run by run while runs are alike and begin in
// neighbouring columns, as those of a grid's neighbours do; then while they are alike and begin in two columns; and then run by
// run as long as the longest. Why these are loops one behind the other, ../padded_fours.wgsl says.
fn add_runs(sums: ptr<function, array<Scalar, ROWS>>, begin: vec4<u32>, end: vec4<u32>, first: vec4<u32>) {
    var next = begin;
    var slot = first;
    for (; next.x < end.x; next += RUN_STEP) {
        let runs = runs_at(next, end);
        if (!are_alike(runs) || !are_next(runs.column)) {
            break;
        }
        var factors = x_behind(runs.column);
        for (var k = 0u; k < runs.length.x; k++) {
            x_of_next(&factors, runs.column, k);
            add_words(sums, slot, factors);
            slot += 1u;
        }
    }
    for (; next.x < end.x; next += RUN_STEP) {
        let runs = runs_at(next, end);
        if (!are_alike(runs) || !are_two(runs.column)) {
            break;
        }
        for (var k = 0u; k < runs.length.x; k++) {
            add_words(sums, slot, x_of_two(runs.column + k));
            slot += 1u;
        }
    }
    for (; any(next < end); next += RUN_STEP) {
        let runs = runs_at(next, end);
        let longest = max(max(runs.length.x, runs.length.y), max(runs.length.z, runs.length.w));
        for (var k = 0u; k < longest; k++) {
            for (var i = 0u; i < ROWS; i++) { // unrolled
                if (k < runs.length[i]) {
                    (*sums)[i] = s_mul_add(load(values[slot[i]]), load(x_at(runs.column[i] + k)), (*sums)[i]);
                    slot[i] += 1u;
                }
            }
        }
    }
}
