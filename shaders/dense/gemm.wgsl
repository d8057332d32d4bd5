// C <- alpha op(A) op(B) + beta C (gemm_operands.wgsl). A workgroup of TILE x TILE invocations computes a tile of C of that size, one element each; tiles of A and B pass
// through workgroup memory. Traffic: A is read n / TILE times, B m / TILE times, C written once (read if beta != 0).
var<workgroup> a_tile: array<array<Scalar, TILE>, TILE>;
var<workgroup> b_tile: array<array<Scalar, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn gemm(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let tile = workgroup_index(id, count);
    let i = (tile / params.tiles_across) * TILE + local.y;
    let j = (tile % params.tiles_across) * TILE + local.x;
    var sum = SCALAR_ZERO;
    for (var k = 0u; k < params.depth; k += TILE) {
        var from_a = SCALAR_ZERO;
        if (i < params.rows && k + local.x < params.depth) {
            from_a = load(a[params.a_offset + i * params.a_row + (k + local.x) * params.a_col]);
        }
        a_tile[local.y][local.x] = from_a;
        var from_b = SCALAR_ZERO;
        if (k + local.y < params.depth && j < params.cols) {
            from_b = load(b[params.b_offset + (k + local.y) * params.b_row + j * params.b_col]);
        }
        b_tile[local.y][local.x] = from_b;
        workgroupBarrier();
        for (var l = 0u; l < TILE; l++) {
            sum = s_mul_add(a_tile[local.y][l], b_tile[l][local.x], sum);
        }
        workgroupBarrier();
    }
    if (i < params.rows && j < params.cols) {
        write_c(i, j, sum);
    }
}
