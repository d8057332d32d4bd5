// What the kernels of y <- alpha op(A) x + beta y share. A lies by rows, `a_leading` packs apart. Workgroups are handed
// out block by block, then split by split: a split sums a part of the terms, `chunk` of them (packs of terms in gemv).
struct Params {
    rows: u32,
    cols: u32,
    a_offset: u32,
    a_leading: u32,
    x_offset: u32,
    x_stride: u32,
    y_offset: u32,
    y_stride: u32,
    reads_y: u32,
    blocks: u32,
    splits: u32,
    chunk: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Pack>;
