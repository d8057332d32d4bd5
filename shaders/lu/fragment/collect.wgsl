// The factors, from texels of WIDTH rows to rows of elements. Step k writes what is below row k and not left of column k;
// so element (row, column) was written min(row, column + 1) times. Where two buffers were exchanged, an odd number of
// times ends in the second. One invocation moves one element: one read, one write.
struct Params {
    n: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> first: array<Number>;
@group(0) @binding(2) var<storage, read> second: array<Number>;
@group(0) @binding(3) var<storage, read_write> matrix: array<Number>;

@compute @workgroup_size(WORKGROUP)
fn collect(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    if (at >= params.n * params.n) {
        return;
    }
    let row = at / params.n;
    let column = at % params.n;
    let texel = WIDTH * (row / WIDTH * params.n + column) + row % WIDTH;
    if (HANDOVER == 0u || min(row, column + 1u) % 2u == 0u) {
        matrix[at] = first[texel];
    } else {
        matrix[at] = second[texel];
    }
}
