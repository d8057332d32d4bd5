// C <- alpha (W_0 + W_1 + ...) + beta C in the tiles that gemm.wgsl computed in parts: the end of the product. One invocation an
// element of such a tile. Traffic: all W, which gemm.wgsl wrote, once; these tiles of C once or, with beta, twice.
struct Params {
    rows: u32,
    cols: u32,
    tiles_across: u32,
    whole: u32,
    rest: u32,
    parts: u32,
    c_offset: u32,
    c_leading: u32,
    reads_c: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> w: array<Element>;
@group(0) @binding(2) var<storage, read_write> c: array<Element>;

const AREA: u32 = TILE_ROWS * TILE_COLS;

@compute @workgroup_size(WORKGROUP)
fn gemm_finish(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count) * WORKGROUP + local;
    let tile = params.whole + index / AREA;
    let row = (tile / params.tiles_across) * TILE_ROWS + index % AREA / TILE_COLS;
    let column = (tile % params.tiles_across) * TILE_COLS + index % TILE_COLS;
    if (index >= params.rest * AREA || row >= params.rows || column >= params.cols) {
        return;
    }
    var sum = SCALAR_ZERO;
    for (var part = 0u; part < params.parts; part++) {
        sum = s_add(sum, load(w[part * params.rest * AREA + index]));
    }
    let at = params.c_offset + row * params.c_leading + column;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_c != 0u) {
        c[at] = store(s_mul_add(params.beta.value, load(c[at]), product));
    } else {
        c[at] = store(product);
    }
}
