// The exchanges of a panel, done in the columns outside it: rows first + c and pivots[first + c], for c = 0 to width - 1
// in order, and in the order of the rows. One invocation walks one column; neighbours touch neighbouring elements.
// Traffic: 4 width (cols - width).
struct Params {
    cols: u32,
    first: u32,
    width: u32,
    leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> order: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn swap_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var column = workgroup_index(id, count) * WORKGROUP + local;
    if (column >= params.first) {
        column += params.width;
    }
    if (column > params.cols) {
        return;
    }
    for (var c = 0u; c < params.width; c++) {
        let row = params.first + c;
        let pivot = pivots[row];
        if (pivot != row && column == params.cols) {
            let kept = order[row];
            order[row] = order[pivot];
            order[pivot] = kept;
        } else if (pivot != row) {
            let here = row * params.leading + column;
            let there = pivot * params.leading + column;
            let kept = a[here];
            a[here] = a[there];
            a[there] = kept;
        }
    }
}
