// What the variants of C <- alpha op(A) op(B) + beta C share: op is a transposition or nothing, told by the two strides of
// A and of B; C is not read unless reads_c says so.
struct Params {
    rows: u32,
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
