// One step of T x = b for a triangle T of many rows, by blocks of BLOCK rows whose inverses are known (invert_blocks.wgsl):
// takes the product with one of them, of `size` rows at `first`, and what that contributes off `rest` rows at `begin`. All
// workgroups take the product, each for itself, LINES invocations a row; then LANES of them sum a row of the rest, ROWS
// rows a workgroup. `work` has the right-hand side, which this dispatch reads at `first` and changes in the rest; the solution
// goes elsewhere, to `solved`. Traffic: `size` columns of T once, and an inverse for each workgroup (from the cache).
struct Params {
    size: u32,
    first: u32,
    begin: u32,
    rest: u32,
    chunks: u32,
    leading: u32,
    inverse: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> t: array<Element>;
@group(0) @binding(2) var<storage, read> inverses: array<Element>;
@group(0) @binding(3) var<storage, read_write> work: array<Element>;
@group(0) @binding(4) var<storage, read_write> solved: array<Element>;

const ROWS: u32 = WORKGROUP / LANES;
const TERMS: u32 = BLOCK / LANES;
const LINES: u32 = WORKGROUP / BLOCK;
const SHARE: u32 = BLOCK / LINES;

var<workgroup> right: array<Scalar, BLOCK>;
var<workgroup> x: array<Scalar, BLOCK>;
var<workgroup> sums: array<Scalar, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn substitution_inverted(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let chunk = workgroup_index(id, count);
    if (chunk >= params.chunks) {
        return;
    }
    // Everything is asked for at once, before anything is waited for.
    let i = local % BLOCK;
    let share = local / BLOCK * SHARE;
    var inverse: array<Scalar, SHARE>;
    for (var q = 0u; q < SHARE; q++) { // unrolled
        inverse[q] = load(inverses[params.inverse + (share + q) * BLOCK + i]);
    }
    let line = local / LANES;
    let lane = local % LANES;
    let row = params.begin + min(chunk * ROWS + line, max(params.rest, 1u) - 1u);
    var factors: array<Scalar, TERMS>;
    for (var k = 0u; k < TERMS; k++) { // unrolled
        factors[k] = SCALAR_ZERO;
        if (params.rest > 0u && k * LANES + lane < params.size) {
            factors[k] = load(t[row * params.leading + params.first + k * LANES + lane]);
        }
    }
    if (local < BLOCK) {
        right[local] = SCALAR_ZERO;
        if (local < params.size) {
            right[local] = load(work[params.first + local]);
        }
    }
    workgroupBarrier();
    var part = SCALAR_ZERO;
    for (var q = 0u; q < SHARE; q++) { // unrolled
        part = s_mul_add(inverse[q], right[share + q], part);
    }
    sums[local] = part;
    workgroupBarrier();
    if (local < BLOCK) {
        var value = sums[local];
        for (var k = 1u; k < LINES; k++) {
            value = s_add(value, sums[local + k * BLOCK]);
        }
        x[local] = value;
        if (chunk == 0u && local < params.size) {
            solved[params.first + local] = store(value);
        }
    }
    workgroupBarrier();
    var sum = SCALAR_ZERO;
    for (var k = 0u; k < TERMS; k++) { // unrolled
        sum = s_mul_add(factors[k], x[k * LANES + lane], sum);
    }
    sums[local] = sum;
    workgroupBarrier();
    if (local < ROWS && chunk * ROWS + local < params.rest) {
        var total = sums[local * LANES];
        for (var k = 1u; k < LANES; k++) {
            total = s_add(total, sums[local * LANES + k]);
        }
        let at = params.begin + chunk * ROWS + local;
        work[at] = store(s_sub(load(work[at]), total));
    }
}
