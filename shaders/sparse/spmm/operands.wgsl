// What kernels of sparse products with k columns have beside the matrix, whose ARRAYS arrays are bound before X, and how an
// entry of A is used: by LANES neighbouring invocations, each with EACH columns of Y in its registers, LANES apart, so
// that neighbours read neighbours of X. Numbers that a format does not have are 0.
struct Params {
    rows: u32,
    k: u32,
    // ELL: entries to which rows are padded; RBP-ELL: those of runs.
    width: u32,
    // RBP: where the isolated entries begin among the values, and among the columns.
    isolated_values: u32,
    isolated_columns: u32,
    // Packed: the bits of a descriptor that hold a column.
    column_bits: u32,
    // Workgroups that have something to do, where a workgroup is a chunk or a long row.
    blocks: u32,
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
@group(0) @binding(ARRAYS + 1u) var<storage, read> x: array<Element>;
@group(0) @binding(ARRAYS + 2u) var<storage, read_write> y: array<Element>;

// The column of a place without an entry; a row has none behind it.
const PADDING: u32 = 0xffffffffu;
// The row of a position whose row is summed elsewhere.
const NO_ROW: u32 = 0xffffffffu;

// What an invocation has of a row, into Y.
fn give(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    for (var e = 0u; e < EACH; e++) { // unrolled
        if (lane + e * LANES < params.k) {
            let at = params.y_offset + row * params.y_row + lane + e * LANES;
            let product = s_mul(params.alpha.value, (*sums)[e]);
            if (params.reads_y != 0u) {
                y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
            } else {
                y[at] = store(product);
            }
        }
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
