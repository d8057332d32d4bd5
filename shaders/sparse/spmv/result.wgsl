// y <- alpha A x + beta y, where y is not read unless reads_y says so.
fn give(row: u32, sum: Scalar) {
    let at = params.y_offset + row * params.y_stride;
    let product = s_mul(params.alpha.value, sum);
    if (params.reads_y != 0u) {
        y[at] = store(s_mul_add(params.beta.value, load(y[at]), product));
    } else {
        y[at] = store(product);
    }
}

fn close(local: u32, group: u32) {}
