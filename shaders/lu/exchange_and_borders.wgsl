// Behind a block of columns that crews have factored in one dispatch (lu/step_crew.wgsl), all that comes before the products to its
// right: its rows are exchanged (lu/moves.wgsl), U is solved for up to column `end` (lu/strip_registers.wgsl), to the same bits as by
// lu/borders_registers.wgsl, and L is taken to A and to the copy that products read.
// Workgroups of the first kind have a strip of columns in which they solve: what rises there are its unknowns. Others have strips of the
// columns in which rows only move, one has the order of rows, and the last, `below`, have SIZE rows and LANES columns of L.
// Traffic: of each column `size` elements are read, and written to A, once as they sink; U is written twice; L is read once and written
// twice; and every strip reads the triangle.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    // Of A, and of the block.
    rows: u32,
    height: u32,
    begin: u32,
    end: u32,
    below: u32,
    lower_leading: u32,
    upper_leading: u32,
    // The columns of a finished row, in which L is left of the diagonal (lu/step_follow.wgsl).
    limit: u32,
    // Where the places are, and the pivots' rows.
    places: u32,
    pivot_rows: u32,
    // Where in `panels` L is.
    lower_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> lower: array<Element>;
@group(0) @binding(3) var<storage, read_write> upper: array<Element>;
@group(0) @binding(4) var<storage, read> finished: array<Element>;
@group(0) @binding(5) var<storage, read> place: array<u32>;
@group(0) @binding(6) var<storage, read_write> order: array<u32>;
@group(0) @binding(7) var<storage, read> panels: array<Element>;

// Which row rises to each row of U, and where the row that was there goes.
var<workgroup> rising_from: array<u32, SIZE>;
var<workgroup> sinking_to: array<u32, SIZE>;

fn pivot_row(i: u32) -> u32 { return place[params.pivot_rows + i]; }

alias Asked = Scalar;
const AWAITED: bool = false;

fn ask(i: u32, k: u32, of_rows: bool) -> Asked {
    return load(finished[select(i * params.limit + k, k * params.limit + i, of_rows)]);
}

fn complete(next: ptr<function, array<Asked, LOADS>>, part: ptr<function, Part>, first: u32) {}
fn element(asked: Asked) -> Scalar { return asked; }

// Nothing: strips are up to date.
fn owed(part: ptr<function, Part>, strip: Strip, local: u32) -> array<Scalar, ABREAST * SLOTS> {
    return array<Scalar, ABREAST * SLOTS>();
}

fn unknown(strip: Strip, i: u32, j: u32) -> Scalar {
    return load(a[(params.first + rising_from[i]) * params.leading + params.begin + strip.begin + j]);
}

// What is in the way of the unknowns goes where they came from.
fn settle(strip: Strip, local: u32) {
    let j = strip.begin + local % LANES;
    var sinking: array<Scalar, MOVES>;
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let i = min(local / LANES + s * LINES, params.size - 1u);
        sinking[s] = load(a[(params.first + i) * params.leading + params.begin + min(j, strip.lanes - 1u)]);
    }
    storageBarrier();
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let i = local / LANES + s * LINES;
        if (i < params.size && j < strip.lanes) {
            let down = sinking_to[i];
            if (down >= params.size) {
                a[(params.first + down) * params.leading + params.begin + j] = store(sinking[s]);
            }
        }
    }
}

fn take_home(line: u32, column: u32) {
    for (var s = 0u; s < MOVES; s++) { // unrolled
        let row = line + s * LINES;
        if (row < params.height && column < params.size) {
            let to = place[params.places + row];
            var x: Element;
            if (to < params.size) {
                x = finished[to * params.limit + column];
            } else {
                x = panels[params.lower_at + column * params.height + row];
                lower[(to - params.size) * params.lower_leading + column] = x;
            }
            a[(params.first + to) * params.leading + params.first + column] = x;
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn exchange_and_borders(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let lane = local % LANES;
    let line = local / LANES;
    let solved = (params.end - params.begin + LANES - 1u) / LANES;
    if (group < solved) {
        for (var i = local; i < params.size; i += WORKGROUP) {
            rising_from[i] = pivot_row(i);
            sinking_to[i] = place[params.places + i];
        }
        workgroupBarrier();
        solve_strip(strip_of_columns(group), local);
        return;
    }
    let other = group - solved;
    let left = (params.first + LANES - 1u) / LANES;
    let moved = left + (params.leading - params.end + LANES - 1u) / LANES;
    if (other < left) {
        let j = other * LANES + lane;
        move_rows(j, line, j < params.first);
    } else if (other < moved) {
        let j = params.end + (other - left) * LANES + lane;
        move_rows(j, line, j < params.leading);
    } else if (other == moved) {
        move_order(local);
    } else {
        let home = other - moved - 1u;
        let across = (params.size + LANES - 1u) / LANES;
        take_home(home / across * SIZE + line, home % across * LANES + lane);
    }
}
