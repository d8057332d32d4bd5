// What the kernels of y <- alpha op(A) x + beta y share; y is not read unless reads_y says so.
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
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> x: array<Element>;
@group(0) @binding(3) var<storage, read_write> y: array<Element>;

fn write_y(i: u32, sum: Scalar) {
    let at = params.y_offset + i * params.y_stride;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_y != 0u) {
        y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
    } else {
        y[at] = store(product);
    }
}
