// What the kernels of C <- alpha op(A) op(B) + beta C without workgroup memory share: op is a transposition or nothing, told by
// the two strides of A and of B. Offsets and strides are in packs, which are elements where these are read one by one;
// a_col goes from pack to pack along the depth. C is not read unless reads_c says so.
struct Params {
    rows: u32,
    // In elements, as the depth.
    cols: u32,
    depth: u32,
    a_offset: u32,
    a_row: u32,
    a_col: u32,
    b_offset: u32,
    b_row: u32,
    b_col: u32,
    c_offset: u32,
    c_leading: u32,
    tiles_across: u32,
    reads_c: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
