// The exchanges of a panel, done in the columns outside it, and in the order of the rows. The rows that they touch are the
// panel's first `width` and the pivots; what comes to each is known (`origins`, at `origins_at`, counted from `first`), so
// an invocation, which has a pack of columns, reads all of them that moves, and then writes it: no element waits for another.
// Neighbours touch neighbouring packs. Traffic: at most 4 width (cols - width).
struct Params {
    cols: u32,
    first: u32,
    width: u32,
    leading: u32,
    origins_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Pack>;
@group(0) @binding(2) var<storage, read> pivots: array<u32>;
@group(0) @binding(3) var<storage, read> origins: array<u32>;
@group(0) @binding(4) var<storage, read_write> order: array<u32>;

fn origin(row: u32) -> u32 { return params.first + origins[params.origins_at + row - params.first]; }

@compute @workgroup_size(WORKGROUP)
fn swap_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let cols = params.cols / PACK;
    let leading = params.leading / PACK;
    var column = workgroup_index(id, count) * WORKGROUP + local;
    if (column >= params.first / PACK) {
        column += params.width / PACK;
    }
    if (column > cols) {
        return;
    }
    if (column == cols) {
        var top: array<u32, WIDTH>;
        var below: array<u32, WIDTH>;
        for (var c = 0u; c < WIDTH; c++) { // unrolled
            if (c < params.width) {
                top[c] = order[origin(params.first + c)];
                below[c] = order[origin(pivots[params.first + c])];
            }
        }
        for (var c = 0u; c < WIDTH; c++) { // unrolled
            if (c < params.width) {
                order[params.first + c] = top[c];
                order[pivots[params.first + c]] = below[c];
            }
        }
        return;
    }
    var top: array<Pack, WIDTH>;
    var below: array<Pack, WIDTH>;
    for (var c = 0u; c < WIDTH; c++) { // unrolled
        if (c < params.width) {
            top[c] = a[origin(params.first + c) * leading + column];
            below[c] = a[origin(pivots[params.first + c]) * leading + column];
        }
    }
    // A pivot that is among the first rows is written twice, with the same.
    for (var c = 0u; c < WIDTH; c++) { // unrolled
        if (c < params.width) {
            a[(params.first + c) * leading + column] = top[c];
            a[pivots[params.first + c] * leading + column] = below[c];
        }
    }
}
