// y <- alpha A^T x + beta y, A m x n by rows: the GEMV-N of Imamura (2011, section 3.1) as the paper has it, whose rows are
// these columns. One invocation a pack of columns, x staged through workgroup memory in pieces of WORKGROUP elements, UNROLL
// rows on their way together; neighbours read neighbours.
// Traffic: A is read once, x once a workgroup, y written once and, unless beta = 0, read once.
// Order of a sum: its terms one by one.
@group(0) @binding(2) var<storage, read> x: array<Element>;

var<workgroup> piece: array<Element, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn gemv_transposed_staged(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.abreast;
    let column = (index % params.abreast) * WORKGROUP + local;
    // Columns past the end repeat the first pack, and are not written.
    let down = params.a_offset + select(0u, column, column * PACK < params.cols);
    let end = min(params.rows, (split + 1u) * params.chunk);

    var sum: array<Scalar, PACK>;
    for (var e = 0u; e < PACK; e++) { // unrolled
        sum[e] = SCALAR_ZERO;
    }
    for (var first = split * params.chunk; first < end; first += WORKGROUP) {
        let length = min(WORKGROUP, end - first);
        if (local < length) {
            piece[local] = x[params.x_offset + (first + local) * params.x_stride];
        }
        workgroupBarrier();
        var i = 0u;
        for (; i + UNROLL <= length; i += UNROLL) {
            var from_a: array<Pack, UNROLL>;
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                from_a[k] = a[down + (first + i + k) * params.a_leading];
            }
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                let from_x = load(piece[i + k]);
                for (var e = 0u; e < PACK; e++) { // unrolled
                    sum[e] = s_mul_add(unpack(from_a[k], e), from_x, sum[e]);
                }
            }
        }
        for (; i < length; i++) {
            let from_a = a[down + (first + i) * params.a_leading];
            let from_x = load(piece[i]);
            for (var e = 0u; e < PACK; e++) { // unrolled
                sum[e] = s_mul_add(unpack(from_a, e), from_x, sum[e]);
            }
        }
        workgroupBarrier();
    }
    if (split < params.splits) {
        for (var e = 0u; e < PACK; e++) { // unrolled
            if (column * PACK + e < params.cols) {
                give(split, column * PACK + e, sum[e]);
            }
        }
    }
}
