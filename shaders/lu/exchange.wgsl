// The row exchanges of a block of columns (lu/step.wgsl), all at once and in all columns: rows of U, from `upper` where
// they were finished there, come to the top, and the rows that were there go where these came from. A workgroup has LANES
// columns to itself and reads all that moves before it writes; another has the order of the rows. Behind it, workgroups of BLOCK rows
// and LANES columns take to A what no step did: L of the last panel, or of the block, all of its rows. Traffic: 2 `steps` elements a
// column, read and written, and that L.
struct Params {
    first: u32,
    steps: u32,
    // The end of the columns whose rows of U are in `upper`, counted from `first`, and how many of them a row there has.
    limit: u32,
    cols: u32,
    // Where the places are.
    places: u32,
    strips: u32,
    // The rows of the block; the first column that is not in A, or `steps`, and where in `panels` its L is.
    rows: u32,
    away: u32,
    lower: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read> upper: array<Element>;
@group(0) @binding(3) var<storage, read> place: array<u32>;
@group(0) @binding(4) var<storage, read> source: array<u32>;
@group(0) @binding(5) var<storage, read_write> order: array<u32>;
@group(0) @binding(6) var<storage, read> panels: array<Element>;

const LINES: u32 = WORKGROUP / LANES;
const MOVES: u32 = BLOCK / LINES;

@compute @workgroup_size(WORKGROUP)
fn exchange(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    if (group < params.strips) {
        move_rows(group * LANES + local % LANES, local / LANES);
    } else if (group == params.strips) {
        move_order(local);
    } else {
        let home = group - params.strips - 1u;
        let across = (params.steps - params.away + LANES - 1u) / LANES;
        take_home(home / across * BLOCK + local / LANES, params.away + home % across * LANES + local % LANES);
    }
}

fn move_rows(j: u32, line: u32) {
    // Large for a column left of the block.
    let column = j - params.first;
    let moves = j < params.cols && (column < params.away || column >= params.steps);
    var rising: array<Scalar, MOVES>;
    var sinking: array<Scalar, MOVES>;
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let i = line + s * LINES;
        if (i < params.steps && moves) {
            if (column < params.limit && column >= i) {
                rising[s] = load(upper[i * params.limit + column]);
            } else {
                rising[s] = load(a[(params.first + source[i]) * params.cols + j]);
            }
            sinking[s] = load(a[(params.first + i) * params.cols + j]);
        }
    }
    storageBarrier();
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let i = line + s * LINES;
        if (i < params.steps && moves) {
            a[(params.first + i) * params.cols + j] = store(rising[s]);
            let down = place[params.places + i];
            if (down >= params.steps) {
                a[(params.first + down) * params.cols + j] = store(sinking[s]);
            }
        }
    }
}

fn move_order(local: u32) {
    // BLOCK is at most WORKGROUP.
    var rising = 0u;
    var sinking = 0u;
    if (local < params.steps) {
        rising = order[params.first + source[local]];
        sinking = order[params.first + local];
    }
    storageBarrier();
    if (local < params.steps) {
        order[params.first + local] = rising;
        let down = place[params.places + local];
        if (down >= params.steps) {
            order[params.first + down] = sinking;
        }
    }
}

// Of a column that is not in A: rows from `line` on, where they go. What has become a row of U is in `upper`.
fn take_home(line: u32, column: u32) {
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let row = line + s * LINES;
        if (row < params.rows && column < params.steps) {
            let to = place[params.places + row];
            var x: Element;
            if (column < to) {
                x = panels[params.lower + (column - params.away) * params.rows + row];
            } else {
                x = upper[to * params.limit + column];
            }
            a[(params.first + to) * params.cols + params.first + column] = x;
        }
    }
}
