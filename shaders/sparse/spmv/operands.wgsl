// What kernels of sparse products have beside the matrix, whose ARRAYS arrays are bound before x. Numbers that a format
// does not have are 0.
struct Params {
    rows: u32,
    // ELL: entries to which rows are padded; RBP-ELL: those of runs.
    width: u32,
    // RBP: where the isolated entries begin among the values, and among the columns.
    isolated_values: u32,
    isolated_columns: u32,
    // Packed: the bits of a descriptor that hold a column.
    column_bits: u32,
    // Workgroups that have something to do, and where their parts of a dot product begin.
    blocks: u32,
    first_part: u32,
    x_offset: u32,
    x_stride: u32,
    y_offset: u32,
    y_stride: u32,
    reads_y: u32,
    // The vector from which a residual is subtracted, or with which a dot product is taken.
    other_offset: u32,
    other_stride: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(ARRAYS + 1u) var<storage, read> x: array<Element>;
@group(0) @binding(ARRAYS + 2u) var<storage, read_write> y: array<Element>;

// The column of a place without an entry; a row has none behind it.
const PADDING: u32 = 0xffffffffu;

fn x_of(column: u32) -> Element { return x[params.x_offset + column * params.x_stride]; }
