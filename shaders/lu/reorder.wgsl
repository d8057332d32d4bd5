// The rows of a block of several stages (lu/step.wgsl) in the order of their places, in all columns: rows of U come from `upper`, all
// else from where it lies in A. A workgroup has LANES columns to itself, and reads all of their rows, ROWS an invocation, before
// it writes any; the last has the order of the rows. Traffic: each element below the block's first row is read and written once.
struct Params {
    first: u32,
    // From the block's first on, and how many of them became pivots.
    rows: u32,
    steps: u32,
    // The end of the columns whose rows of U are in `upper`, counted from `first`, and how many of them a row there has.
    limit: u32,
    cols: u32,
    // The last stage.
    stage: u32,
    strips: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read> upper: array<Element>;
@group(0) @binding(3) var<storage, read> place: array<u32>;
@group(0) @binding(4) var<storage, read> source: array<u32>;
@group(0) @binding(5) var<storage, read_write> order: array<u32>;

const LINES: u32 = WORKGROUP / LANES;
// The order has so many rows an invocation.
const SHARE: u32 = (ROWS + LANES - 1u) / LANES;
// Rows that are looked up before any of them is read: 8 of a power of two.
const AT_ONCE: u32 = ROWS / ((ROWS + 7u) / 8u);

@compute @workgroup_size(WORKGROUP)
fn reorder(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    if (group < params.strips) {
        move_rows(group * LANES + local % LANES, local / LANES);
    } else if (group == params.strips) {
        move_order(local);
    }
}

// The row of the block that belongs to place i.
fn row_of(i: u32) -> u32 {
    if (i < params.steps) {
        return source[params.rows + i];
    }
    // Numbered anew once more, behind the last stage.
    let row = place[former_numbers(params.stage + 1u) * params.rows + i - params.steps];
    return place[rows_of_block(params.stage) * params.rows + row];
}

fn move_rows(j: u32, line: u32) {
    // Large for a column left of the block.
    let column = j - params.first;
    var x: array<Element, ROWS>;
    for (var t = 0u; t < ROWS; t += AT_ONCE) { // unrolled
        var from_row: array<u32, AT_ONCE>;
        for (var s = 0u; s < AT_ONCE; s++) { // unrolled
            from_row[s] = row_of(min(line + (t + s) * LINES, params.rows - 1u));
        }
        for (var s = 0u; s < AT_ONCE; s++) { // unrolled
            let i = line + (t + s) * LINES;
            if (i < params.rows && j < params.cols) {
                if (i < params.steps && column < params.limit && column >= i) {
                    x[t + s] = upper[i * params.limit + column];
                } else {
                    x[t + s] = a[(params.first + from_row[s]) * params.cols + j];
                }
            }
        }
    }
    storageBarrier();
    for (var s = 0u; s < ROWS; s++) { // unrolled
        let i = line + s * LINES;
        if (i < params.rows && j < params.cols) {
            a[(params.first + i) * params.cols + j] = x[s];
        }
    }
}

fn move_order(local: u32) {
    var x: array<u32, SHARE>;
    for (var s = 0u; s < SHARE; s++) { // unrolled
        let i = local + s * WORKGROUP;
        if (i < params.rows) {
            x[s] = order[params.first + row_of(i)];
        }
    }
    storageBarrier();
    for (var s = 0u; s < SHARE; s++) { // unrolled
        let i = local + s * WORKGROUP;
        if (i < params.rows) {
            order[params.first + i] = x[s];
        }
    }
}
