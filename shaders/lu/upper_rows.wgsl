// L X = A right of a block for its `size` rows from `first` on, at most SIZE: for drivers that compute on the CPU, where a load has
// its time, however little it loads, and workgroup memory is memory. One invocation has a pack of columns, and substitutes in
// registers; neighbours have neighbouring packs. X overwrites A, and goes to `upper`, from row `to` on, for the products that follow.
// Traffic: A is read once and written twice; L is read by every invocation, SIZE^2 / (2 PACK) packs of it.
struct Params {
    first: u32,
    size: u32,
    leading: u32,
    // The columns, and where their rows go.
    begin: u32,
    end: u32,
    to: u32,
    upper_leading: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Pack>;
@group(0) @binding(2) var<storage, read_write> upper: array<Pack>;

@compute @workgroup_size(WORKGROUP)
fn upper_rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let leading = params.leading / PACK;
    let place = workgroup_index(id, count) * WORKGROUP + local;
    if (place >= (params.end - params.begin) / PACK) {
        return;
    }
    let corner = params.first * leading + params.first / PACK;
    let column = params.first * leading + params.begin / PACK + place;
    var x: array<array<Scalar, PACK>, SIZE>;
    for (var i = 0u; i < SIZE; i++) { // unrolled
        if (i < params.size) {
            let pack = a[column + i * leading];
            for (var e = 0u; e < PACK; e++) { // unrolled
                x[i][e] = unpack(pack, e);
            }
            for (var j = 0u; j < i; j += PACK) { // unrolled
                let line = a[corner + i * leading + j / PACK];
                for (var k = j; k < j + PACK; k++) { // unrolled
                    if (k < i) {
                        let factor = s_neg(unpack(line, k - j));
                        for (var e = 0u; e < PACK; e++) { // unrolled
                            x[i][e] = s_mul_add(factor, x[k][e], x[i][e]);
                        }
                    }
                }
            }
        }
    }
    for (var i = 0u; i < SIZE; i++) { // unrolled
        if (i < params.size) {
            var pack: Pack;
            for (var e = 0u; e < PACK; e++) { // unrolled
                repack(&pack, e, x[i][e]);
            }
            a[column + i * leading] = pack;
            upper[(params.to + i) * (params.upper_leading / PACK) + place] = pack;
        }
    }
}
