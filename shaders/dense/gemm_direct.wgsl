// C <- alpha op(A) op(B) + beta C, without workgroup memory: for adapters that compute on a CPU, where such memory is
// memory like any other and a barrier is a loop over all invocations. One invocation computes ROWS x COLS elements of C
// in registers, its columns WORKGROUP apart, so that neighbours read and write neighbouring elements. Traffic: A is read
// n / (WORKGROUP COLS) times, B m / ROWS times (from the cache), C written once (read if beta != 0).
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> b: array<Element>;
@group(0) @binding(3) var<storage, read_write> c: array<Element>;

fn write_c(row: u32, column: u32, sum: Scalar) {
    let at = params.c_offset + row * params.c_leading + column;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_c != 0u) {
        c[at] = store(s_mul_add(params.beta.value, load(c[at]), product));
    } else {
        c[at] = store(product);
    }
}

@compute @workgroup_size(WORKGROUP)
fn gemm_direct(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let tile = workgroup_index(id, count);
    let top = (tile / params.tiles_across) * ROWS;
    let left = (tile % params.tiles_across) * (WORKGROUP * COLS) + local;
    if (top >= params.rows) {
        return;
    }
    // Rows and columns past the end repeat the last one, and are not written.
    var from_a: array<u32, ROWS>;
    for (var i = 0u; i < ROWS; i++) {
        from_a[i] = params.a_offset + min(top + i, params.rows - 1u) * params.a_row;
    }
    var from_b: array<u32, COLS>;
    for (var j = 0u; j < COLS; j++) {
        from_b[j] = params.b_offset + min(left + j * WORKGROUP, params.cols - 1u) * params.b_col;
    }
    var sum: array<array<Scalar, COLS>, ROWS>;
    for (var i = 0u; i < ROWS; i++) {
        for (var j = 0u; j < COLS; j++) {
            sum[i][j] = SCALAR_ZERO;
        }
    }
    for (var k = 0u; k < params.depth; k++) {
        var right: array<Scalar, COLS>;
        for (var j = 0u; j < COLS; j++) {
            right[j] = load(b[from_b[j] + k * params.b_row]);
        }
        for (var i = 0u; i < ROWS; i++) {
            let factor = load(a[from_a[i] + k * params.a_col]);
            for (var j = 0u; j < COLS; j++) {
                sum[i][j] = s_mul_add(factor, right[j], sum[i][j]);
            }
        }
    }
    for (var i = 0u; i < ROWS; i++) {
        for (var j = 0u; j < COLS; j++) {
            if (top + i < params.rows && left + j * WORKGROUP < params.cols) {
                write_c(top + i, left + j * WORKGROUP, sum[i][j]);
            }
        }
    }
}
