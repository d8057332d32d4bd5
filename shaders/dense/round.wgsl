// C <- A, m x n blocks by rows, in narrower elements. One invocation rounds EACH, WORKGROUP apart, so that neighbours in a row
// are neighbours in memory, and reads them all before it writes any. Traffic: every scalar of A is read once, every element of C written once.
struct Params {
    rows: u32,
    cols: u32,
    a_offset: u32,
    a_leading: u32,
    c_offset: u32,
    c_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Scalar>;
@group(0) @binding(2) var<storage, read_write> c: array<Element>;

@compute @workgroup_size(WORKGROUP)
fn round_block(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let first = workgroup_index(id, count) * EACH * WORKGROUP + local;
    var x: array<Scalar, EACH>;
    for (var q = 0u; q < EACH; q++) { // unrolled
        let at = first + q * WORKGROUP;
        x[q] = SCALAR_ZERO;
        if (at / params.cols < params.rows) {
            x[q] = a[params.a_offset + at / params.cols * params.a_leading + at % params.cols];
        }
    }
    for (var q = 0u; q < EACH; q++) { // unrolled
        let at = first + q * WORKGROUP;
        if (at / params.cols < params.rows) {
            c[params.c_offset + at / params.cols * params.c_leading + at % params.cols] = store(x[q]);
        }
    }
}
