// The row exchanges of a block of columns (lu/step.wgsl), in all columns (lu/moves.wgsl): a workgroup has LANES columns, and another the
// order of the rows. Behind it, workgroups of SIZE rows and LANES columns take to A what no step did: L of the last panel, or of the
// block, all of its rows. Traffic: 2 `size` elements a column, read and written, and that L.
struct Params {
    first: u32,
    // The block's columns.
    size: u32,
    leading: u32,
    // The end of the columns whose rows of U are finished, counted from `first`, and how many of them a row there has.
    limit: u32,
    // Where the places are.
    places: u32,
    strips: u32,
    // The rows of the block; the first column that is not in A, or `size`, and where in `panels` its L is.
    height: u32,
    away: u32,
    lower: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read> finished: array<Element>;
@group(0) @binding(3) var<storage, read> place: array<u32>;
@group(0) @binding(4) var<storage, read> source: array<u32>;
@group(0) @binding(5) var<storage, read_write> order: array<u32>;
@group(0) @binding(6) var<storage, read> panels: array<Element>;

fn pivot_row(i: u32) -> u32 { return source[i]; }

@compute @workgroup_size(WORKGROUP)
fn exchange(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    if (group < params.strips) {
        let j = group * LANES + local % LANES;
        let column = j - params.first;
        move_rows(j, local / LANES, j < params.leading && (column < params.away || column >= params.size));
    } else if (group == params.strips) {
        move_order(local);
    } else {
        let home = group - params.strips - 1u;
        let across = (params.size - params.away + LANES - 1u) / LANES;
        take_home(home / across * SIZE + local / LANES, params.away + home % across * LANES + local % LANES);
    }
}

// Of a column that is not in A: rows from `line` on, where they go. What has become a row of U is finished.
fn take_home(line: u32, column: u32) {
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let row = line + s * LINES;
        if (row < params.height && column < params.size) {
            let to = place[params.places + row];
            var x: Element;
            if (column < to) {
                x = panels[params.lower + (column - params.away) * params.height + row];
            } else {
                x = finished[to * params.limit + column];
            }
            a[(params.first + to) * params.leading + params.first + column] = x;
        }
    }
}
