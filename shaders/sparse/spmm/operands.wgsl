// Y <- alpha A X + beta Y with k columns, X and Y by rows. LANES neighbouring invocations a row, each with EACH columns of Y
// in its registers, LANES apart: neighbours read neighbours of X, and an entry of A serves all its columns. What a row
// is, and how it is summed, the format says: row_of and row_sums. Traffic: the matrix once, X as the caches have it, Y
// once or, with beta, twice. Order of a sum: as the format's host version.
struct Params {
    rows: u32,
    k: u32,
    // Packed: the bits of a descriptor that hold a column.
    column_bits: u32,
    x_offset: u32,
    x_row: u32,
    x_column: u32,
    y_offset: u32,
    y_row: u32,
    reads_y: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read> x: array<Element>;
@group(0) @binding(5) var<storage, read_write> y: array<Element>;

// The column of a place without an entry; a row has none behind it.
const PADDING: u32 = 0xffffffffu;

@compute @workgroup_size(WORKGROUP)
fn spmm(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let position = workgroup_index(id, count) * (WORKGROUP / LANES) + local / LANES;
    let lane = local % LANES;
    if (position < params.rows) {
        var sums: array<Scalar, EACH>;
        for (var e = 0u; e < EACH; e++) { // unrolled
            sums[e] = SCALAR_ZERO;
        }
        row_sums(position, lane, &sums);
        let row = params.y_offset + row_of(position) * params.y_row;
        for (var e = 0u; e < EACH; e++) { // unrolled
            if (lane + e * LANES < params.k) {
                give(row + lane + e * LANES, sums[e]);
            }
        }
    }
}

fn give(at: u32, sum: Scalar) {
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_y != 0u) {
        y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
    } else {
        y[at] = store(product);
    }
}

// One entry of A, into all columns.
fn add_entry(sums: ptr<function, array<Scalar, EACH>>, value: Scalar, column: u32, lane: u32) {
    let row = params.x_offset + column * params.x_row;
    var factor: array<Element, EACH>;
    for (var e = 0u; e < EACH; e++) { // unrolled
        // Past the end, the last column once more: nobody writes what comes of it, and the loads need no branch.
        factor[e] = x[row + min(lane + e * LANES, params.k - 1u) * params.x_column];
    }
    for (var e = 0u; e < EACH; e++) { // unrolled
        (*sums)[e] = s_mul_add(value, load(factor[e]), (*sums)[e]);
    }
}
