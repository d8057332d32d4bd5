// The rows of a block of several stages (lu/step.wgsl) in the order of their places, in some columns: what is not U yet in `upper` comes
// there from where it lies in A; then, with BACK = 1, all goes from there to A. An invocation moves MOVES elements, WORKGROUP apart.
// Traffic, both ways: each element is read and written once, and what is not U twice.
struct Params {
    first: u32,
    rows: u32,
    leading: u32,
    // Rows that became pivots, and the last stage.
    steps: u32,
    stage: u32,
    // The columns, from the first of A on, and whether they are the block's own.
    begin: u32,
    cols: u32,
    own: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> upper: array<Element>;
@group(0) @binding(3) var<storage, read_write> place: array<u32>;
@group(0) @binding(4) var<storage, read> source: array<u32>;
@group(0) @binding(5) var<storage, read_write> order: array<u32>;

const MOVES: u32 = 4u;

// The row of the block that belongs to place i.
fn row_of(i: u32) -> u32 {
    if (i < params.steps) {
        return source[params.rows + i];
    }
    // Numbered anew once more, behind the last stage.
    let row = place[former_numbers(params.stage + 1u) * params.rows + i - params.steps];
    return place[rows_of_block(params.stage) * params.rows + row];
}

@compute @workgroup_size(WORKGROUP)
fn reorder(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let begin = workgroup_index(id, count) * WORKGROUP * MOVES + local;
    var x: array<Element, MOVES>;
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let at = begin + s * WORKGROUP;
        if (at / params.cols < params.rows) {
            if (BACK == 1u) {
                x[s] = upper[at];
            } else if (comes(at)) {
                x[s] = a[place_in_a(row_of(at / params.cols), at)];
            }
        }
    }
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let at = begin + s * WORKGROUP;
        if (at / params.cols < params.rows) {
            if (BACK == 1u) {
                a[place_in_a(at / params.cols, at)] = x[s];
            } else if (comes(at)) {
                upper[at] = x[s];
            }
            // The order of the rows goes with the block's own columns, by way of the first of the tables.
            if (params.own == 1u && at % params.cols == 0u) {
                move_order(at / params.cols);
            }
        }
    }
}

// Whether an element has to come from A: U is where it is wanted.
fn comes(at: u32) -> bool {
    let i = at / params.cols;
    return params.own == 0u || i >= params.steps || at % params.cols < i;
}

fn place_in_a(row: u32, at: u32) -> u32 {
    return (params.first + row) * params.leading + params.begin + at % params.cols;
}

fn move_order(i: u32) {
    if (BACK == 1u) {
        order[params.first + i] = place[i];
    } else {
        place[i] = order[params.first + row_of(i)];
    }
}
