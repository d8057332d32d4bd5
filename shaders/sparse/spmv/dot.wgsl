// y <- alpha A x + beta y, and the workgroup's part of y'w: each invocation adds up the rows it gives, in their order, and
// then the workgroup in halves. w is read once.
@group(0) @binding(ARRAYS + 3u) var<storage, read> w: array<Element>;
@group(0) @binding(ARRAYS + 4u) var<storage, read_write> partials: array<Scalar>;

var<private> terms: Scalar = SCALAR_ZERO;

fn give(row: u32, sum: Scalar) {
    let at = params.y_offset + row * params.y_stride;
    var value = s_mul(params.alpha.value, sum);
    if (params.reads_y != 0u) {
        value = s_mul_add(params.beta.value, load(y[at]), value);
    }
    y[at] = store(value);
    terms = s_mul_add(value, load(w[params.other_offset + row * params.other_stride]), terms);
}

fn close(local: u32, group: u32) {
    let part = sum_of_lanes(local, WORKGROUP, terms);
    if (local == 0u) {
        partials[params.first_part + group] = part;
    }
}
