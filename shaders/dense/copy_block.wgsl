// C <- A, m x n blocks by rows. One invocation copies one pack, in which columns, offsets and leading dimensions are counted;
// neighbours in a row are neighbours in memory.
struct Params {
    rows: u32,
    cols: u32,
    a_offset: u32,
    a_leading: u32,
    c_offset: u32,
    c_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Pack>;
@group(0) @binding(2) var<storage, read_write> c: array<Pack>;

@compute @workgroup_size(WORKGROUP)
fn copy_block(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    let row = at / params.cols;
    let column = at % params.cols;
    if (row < params.rows) {
        c[params.c_offset + row * params.c_leading + column] = a[params.a_offset + row * params.a_leading + column];
    }
}
