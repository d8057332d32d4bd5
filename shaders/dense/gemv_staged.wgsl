// y <- alpha A x + beta y, A m x n by rows, by the GEMV-N of Imamura (2011, section 3.1): one invocation a row, x staged
// through workgroup memory in pieces of WORKGROUP packs, UNROLL packs of the row on their way together. The paper's A lies
// by columns, so that neighbours read neighbours; here they read a row apart, and the cache must keep a line of each row
// until it is used up.
// Traffic: A is read once, x once a workgroup, y written once and, unless beta = 0, read once.
// Order of a sum: its terms one by one.
@group(0) @binding(2) var<storage, read> x: array<Pack>;

var<workgroup> piece: array<Pack, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn gemv_staged(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.abreast;
    let row = index % params.abreast * WORKGROUP + local;
    // Rows past the end repeat the last one, and are not written.
    let line = params.a_offset + min(row, params.rows - 1u) * params.a_leading;
    let whole = params.cols / PACK;
    let end = min(whole, (split + 1u) * params.chunk);

    var sum = SCALAR_ZERO;
    for (var first = split * params.chunk; first < end; first += WORKGROUP) {
        let length = min(WORKGROUP, end - first);
        if (local < length) {
            piece[local] = x[params.x_offset + (first + local) * params.x_stride];
        }
        workgroupBarrier();
        var j = 0u;
        for (; j + UNROLL <= length; j += UNROLL) {
            var from_a: array<Pack, UNROLL>;
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                from_a[k] = a[line + first + j + k];
            }
            for (var k = 0u; k < UNROLL; k++) { // unrolled
                let from_x = piece[j + k];
                for (var e = 0u; e < PACK; e++) { // unrolled
                    sum = s_mul_add(unpack(from_a[k], e), unpack(from_x, e), sum);
                }
            }
        }
        for (; j < length; j++) {
            let from_a = a[line + first + j];
            let from_x = piece[j];
            for (var e = 0u; e < PACK; e++) { // unrolled
                sum = s_mul_add(unpack(from_a, e), unpack(from_x, e), sum);
            }
        }
        workgroupBarrier();
    }
    // The pack that the end of the rows cuts: what lies past it is not theirs.
    if (PACK > 1u && split + 1u == params.splits && whole * PACK < params.cols) {
        let from_x = x[params.x_offset + whole * params.x_stride];
        let from_a = a[line + whole];
        for (var e = 0u; whole * PACK + e < params.cols; e++) {
            sum = s_mul_add(unpack(from_a, e), unpack(from_x, e), sum);
        }
    }
    if (row < params.rows && split < params.splits) {
        give(split, row, sum);
    }
}
