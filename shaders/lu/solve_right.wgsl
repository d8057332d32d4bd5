// L U = A for the rows of L below a panel's triangle U of `width` columns, L over A. One invocation has one row: elements of
// it from the left to the right. A column whose pivot is zero has none left to eliminate, and gets zeros. Traffic: each
// row is read and written once.
struct Params {
    first: u32,
    width: u32,
    leading: u32,
    rows: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;

var<workgroup> triangle: array<Scalar, WIDTH * WIDTH>;

@compute @workgroup_size(WORKGROUP)
fn solve_right(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let corner = params.first * params.leading + params.first;
    for (var e = local; e < WIDTH * WIDTH; e += WORKGROUP) {
        let k = e / WIDTH;
        let j = e % WIDTH;
        var u = SCALAR_ZERO;
        if (k <= j && j < params.width) {
            u = load(a[corner + k * params.leading + j]);
        }
        triangle[e] = u;
    }
    workgroupBarrier();
    let row = params.first + params.width + workgroup_index(id, count) * WORKGROUP + local;
    if (row >= params.rows) {
        return;
    }
    let at = row * params.leading + params.first;
    var x: array<Scalar, WIDTH>;
    for (var j = 0u; j < WIDTH; j++) { // unrolled
        x[j] = SCALAR_ZERO;
        if (j < params.width) {
            var sum = load(a[at + j]);
            for (var k = 0u; k < j; k++) { // unrolled
                sum = s_mul_add(s_neg(x[k]), triangle[k * WIDTH + j], sum);
            }
            let pivot = triangle[j * WIDTH + j];
            let rank = s_rank(pivot);
            if (rank.x != 0u || rank.y != 0u) {
                x[j] = s_div(sum, pivot);
            }
            a[at + j] = store(x[j]);
        }
    }
}
