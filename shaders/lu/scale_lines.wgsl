// a(i, j) <- 2^(rows[i] + cols[j]) a(i, j). The power is multiplied by in two halves, each from a table of powers of
// two that are normal numbers: no step goes farther than the result, so that it is exact unless that leaves the range.
// One invocation scales one element. Traffic: A is read and written once.
struct Params {
    rows: u32,
    cols: u32,
    leading: u32,
    offset: u32,
    // Where 2^0 is in the table.
    zero: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read> rows: array<i32>;
@group(0) @binding(3) var<storage, read> cols: array<i32>;
@group(0) @binding(4) var<storage, read> powers: array<Element>;

fn power(exponent: i32) -> Scalar {
    let end = i32(params.zero);
    return load(powers[u32(clamp(exponent, -end, end) + end)]);
}

@compute @workgroup_size(WORKGROUP)
fn scale_lines(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let at = workgroup_index(id, count) * WORKGROUP + local;
    let row = at / params.cols;
    let column = at % params.cols;
    if (row < params.rows) {
        let exponent = rows[row] + cols[column];
        let first = exponent / 2;
        let place = params.offset + row * params.leading + column;
        a[place] = store(s_mul(s_mul(load(a[place]), power(first)), power(exponent - first)));
    }
}
