// Packed SELL, as sell.wgsl has it, by ROWS rows of a slice: HEIGHT is a multiple of ROWS, so that no four are of two slices.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Pack>;
@group(0) @binding(2) var<storage, read> descriptors: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

// The descriptor of no run: the end of a row. No run has it (src/sparse/packed/mod.rs).
const NO_RUN: u32 = 0xffffffffu;

// A run of each row: the column of the next entry, and how many are left.
struct Runs {
    column: vec4<u32>,
    left: vec4<u32>,
}

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return pointers[2u * ((params.rows + HEIGHT - 1u) / HEIGHT + 1u) + position];
    }
    return position;
}

fn runs_of(descriptor: vec4<u32>) -> Runs {
    let column = extractBits(descriptor, 0u, params.column_bits);
    let left = extractBits(descriptor, params.column_bits, 32u - params.column_bits) + 1u;
    return Runs(column, select(left, vec4<u32>(0u), descriptor == vec4<u32>(NO_RUN)));
}

// Whether all rows have a run, and of one length.
fn are_alike(runs: Runs) -> bool { return runs.left.x != 0u && all(runs.left == runs.left.xxxx); }

// Run by run while runs are alike and begin in two columns; then while they are alike; and then entry by entry, each row in a
// run of its own. Why these are loops one behind the other, padded_fours.wgsl says.
fn add_rows(position: u32, sums: ptr<function, array<Scalar, ROWS>>) {
    let slice = position / HEIGHT;
    let lane = position % HEIGHT;
    var run = pointers[2u * slice] + lane;
    var slot = pointers[2u * slice + 1u] + lane;
    let last_run = pointers[2u * slice + 2u];
    let last_slot = pointers[2u * slice + 3u];
    for (; run < last_run; run += HEIGHT) {
        let runs = runs_of(descriptors[run / ROWS]);
        if (!are_alike(runs) || !are_two(runs.column)) {
            break;
        }
        for (var k = 0u; k < runs.left.x; k++) {
            add_entries(sums, slot, x_of_two(runs.column + k), vec4<bool>(true));
            slot += HEIGHT;
        }
    }
    for (; run < last_run; run += HEIGHT) {
        let runs = runs_of(descriptors[run / ROWS]);
        if (!are_alike(runs)) {
            break;
        }
        for (var k = 0u; k < runs.left.x; k++) {
            add_entries(sums, slot, x_of_each(runs.column + k, vec4<bool>(true)), vec4<bool>(true));
            slot += HEIGHT;
        }
    }
    var next = vec4<u32>(run);
    var runs = Runs();
    for (; slot < last_slot; slot += HEIGHT) {
        var descriptor = vec4<u32>(NO_RUN);
        let ended = runs.left == vec4<u32>(0u);
        let reads = ended & (next < vec4<u32>(last_run));
        for (var i = 0u; i < ROWS; i++) { // unrolled
            if (reads[i]) {
                descriptor[i] = descriptors[next[i] / ROWS][i];
            }
        }
        next += select(vec4<u32>(0u), vec4<u32>(HEIGHT), reads);
        let begun = runs_of(descriptor);
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
