// What kernels that lay a pattern out have beside what they write: the arrays of CSR. Numbers that a format does not have
// are 0.
struct Params {
    rows: u32,
    // Entries and padding, where an invocation has one of them.
    slots: u32,
    // RBP-ELL: the values of runs to which rows are padded.
    width: u32,
    // RBP: where the isolated entries begin among the values, and among the columns.
    isolated_values: u32,
    isolated_columns: u32,
    // Packed: the bits of a descriptor that hold a column.
    column_bits: u32,
    // Runs of more entries are split.
    longest: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Behind the row pointers, there may be what a product needs.
@group(0) @binding(1) var<storage, read> row_ptr: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;

// The column of a slot without an entry, and its place.
const PADDING: u32 = 0xffffffffu;
