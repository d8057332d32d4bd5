// From rows of elements to texels of WIDTH rows of a column: element (row, column) to WIDTH (row / WIDTH n + column) + row
// % WIDTH. One invocation moves one element; rows that are not there become zeros. One read, one write.
struct Params {
    n: u32,
    rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> matrix: array<Number>;
@group(0) @binding(2) var<storage, read_write> texels: array<Number>;

@compute @workgroup_size(WORKGROUP)
fn pack(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    if (at >= params.rows * params.n) {
        return;
    }
    let row = at / params.n;
    let column = at % params.n;
    var value: Number;
    if (row < params.n) {
        value = matrix[at];
    }
    texels[WIDTH * (row / WIDTH * params.n + column) + row % WIDTH] = value;
}
