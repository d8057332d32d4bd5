// All terms are summed in one dispatch: the sum of element i goes to y, which is not read unless reads_y says so.
@group(0) @binding(3) var<storage, read_write> y: array<Element>;

fn give(split: u32, i: u32, sum: Scalar) {
    let at = params.y_offset + i * params.y_stride;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_y != 0u) {
        y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
    } else {
        y[at] = store(product);
    }
}
