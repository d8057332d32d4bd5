// What the kernels of y <- alpha op(A) x + beta y share. A lies by rows, `a_leading` packs apart. Workgroups are handed
// out block by block, then split by split: a split sums a part of the terms, `chunk` of them (packs of terms in gemv).
// Of a split's blocks a workgroup takes every `abreast`-th, `takes` in all: as many as a device runs at once stay where they
// are from one product to the next, and find nearer what they have read before.
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
    abreast: u32,
    takes: u32,
    splits: u32,
    chunk: u32,
    // Whether A is gone through from its end: of one that is larger than the cache, the product before has left that there.
    backwards: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Pack>;

// The block that a workgroup takes in its turn.
fn block_in_turn(index: u32, turn: u32) -> u32 {
    return index % params.abreast + select(turn, params.takes - 1u - turn, params.backwards != 0u) * params.abreast;
}
