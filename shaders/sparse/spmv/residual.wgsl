// r <- b - A x, with r for y.
@group(0) @binding(ARRAYS + 3u) var<storage, read> b: array<Element>;

fn give(row: u32, sum: Scalar) {
    let right = load(b[params.other_offset + row * params.other_stride]);
    y[params.y_offset + row * params.y_stride] = store(s_sub(right, sum));
}

fn close(local: u32, group: u32) {}
