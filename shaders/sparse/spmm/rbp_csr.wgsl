// RBP-CSR, laid out as in ../rbp/csr.wgsl: three pointers a row.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sums(row: u32, lane: u32, sums: ptr<function, array<Scalar, EACH>>) {
    let at = 3u * row;
    let end = pointers[at + 3u];
    var walk = walk_from(pointers[at + 1u], pointers[at + 4u], 1u);
    for (var k = pointers[at]; k < end; k++) {
        add_entry(sums, load(values[k]), next_column(&walk, 1u), lane);
    }
    add_isolated(sums, pointers[at + 2u], pointers[at + 5u], lane);
}
