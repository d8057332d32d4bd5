// C <- P B: row i of C is row order[i] of B; or, where BACK = 1, C <- P^T B: row order[i] of C is row i. One invocation
// moves one element. Traffic: m n reads and writes.
struct Params {
    rows: u32,
    cols: u32,
    b_offset: u32,
    b_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> order: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<Element>;
@group(0) @binding(3) var<storage, read_write> c: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn permute_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    let row = at / params.cols;
    if (row < params.rows) {
        let column = at % params.cols;
        let to = select(row, order[row], BACK == 1u);
        let source = select(order[row], row, BACK == 1u);
        c[to * params.cols + column] = b[params.b_offset + source * params.b_leading + column];
    }
}
