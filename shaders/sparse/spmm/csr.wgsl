// CSR, laid out as in ../csr.wgsl. Rows of more than LONGEST entries are summed elsewhere: csr_chunks.wgsl.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> row_ptr: array<u32>;

fn row_of(position: u32) -> u32 {
    return select(position, NO_ROW, row_ptr[position + 1u] - row_ptr[position] > LONGEST);
}

fn row_sums(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    let end = row_ptr[row + 1u];
    for (var k = row_ptr[row]; k < end; k++) {
        add_entry(sums, load(values[k]), columns[k], lane);
    }
}
