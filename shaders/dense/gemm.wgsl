// C <- alpha op(A) op(B) + beta C; op is a transposition or nothing, told by the two strides of A and of B.
// A workgroup of TILE x TILE invocations computes a tile of C of that size, one element each; tiles of A and B pass
// through workgroup memory. Traffic: A is read n / TILE times, B m / TILE times, C written once (read if beta != 0).
struct Params {
    rows: u32,
    cols: u32,
    depth: u32,
    a_offset: u32,
    a_row: u32,
    a_col: u32,
    b_offset: u32,
    b_row: u32,
    b_col: u32,
    c_offset: u32,
    c_leading: u32,
    tiles_across: u32,
    reads_c: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> b: array<Element>;
@group(0) @binding(3) var<storage, read_write> c: array<Element>;

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
        let at = params.c_offset + i * params.c_leading + j;
        let product = s_mul(params.alpha.value, sum);
        if (params.reads_c != 0u) {
            c[at] = store(s_mul_add(params.beta.value, load(c[at]), product));
        } else {
            c[at] = store(product);
        }
    }
}
