// The terms are split among workgroups: the sum of element i over a split goes to a row of its own (gemv_finish.wgsl).
@group(0) @binding(3) var<storage, read_write> partials: array<Scalar>;

fn give(split: u32, i: u32, sum: Scalar) { partials[split * params.y_stride + i] = sum; }
