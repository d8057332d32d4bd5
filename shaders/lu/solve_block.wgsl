// T X = B for a triangular block T of `size` rows, read as t[i * t_row + j * t_col]: upper where UPPER = 1, with ones
// on the diagonal where UNIT = 1. X overwrites B and goes to `copy` too, for the product that follows. One invocation
// solves one column of B; neighbours touch neighbouring elements. Traffic: about size^2 / 2 elements of T (from the
// cache) and of X a column.
struct Params {
    size: u32,
    cols: u32,
    t_offset: u32,
    t_row: u32,
    t_col: u32,
    b_offset: u32,
    b_leading: u32,
    copy_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> t: array<Element>;
@group(0) @binding(2) var<storage, read_write> b: array<Element>;
@group(0) @binding(3) var<storage, read_write> copy: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn solve_block(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let column = workgroup_index(id, count) * WORKGROUP + local;
    if (column >= params.cols) {
        return;
    }
    for (var step = 0u; step < params.size; step++) {
        var i = step;
        var first = 0u;
        var end = i;
        if (UPPER == 1u) {
            i = params.size - 1u - step;
            first = i + 1u;
            end = params.size;
        }
        let row = params.t_offset + i * params.t_row;
        let at = params.b_offset + i * params.b_leading + column;
        var x = load(b[at]);
        for (var l = first; l < end; l++) {
            let known = load(b[params.b_offset + l * params.b_leading + column]);
            x = s_mul_add(s_neg(load(t[row + l * params.t_col])), known, x);
        }
        if (UNIT == 0u) {
            x = s_div(x, load(t[row + i * params.t_col]));
        }
        b[at] = store(x);
        copy[i * params.copy_leading + column] = store(x);
    }
}
