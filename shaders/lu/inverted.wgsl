// One step of T x = b for a triangle T of `n` rows whose blocks of BLOCK rows on the diagonal have been inverted: takes what the
// `size` rows of x from `known` on contribute from the rows beyond them, and solves for the next BLOCK of these. (In the first
// step nothing is known.) UPPER = 1 goes up. A workgroup has BLOCK rows, and LANES invocations share each; the first workgroup
// multiplies what is left of its rows by their inverse (lu/invert_blocks.wgsl). So no workgroup does what another does, and two
// products with a block are all that a step waits for.
// Traffic: `size` columns of T beyond the block and one inverse, once; `work` has the right-hand sides, `solved` gets x.
struct Params {
    n: u32,
    known: u32,
    size: u32,
    leading: u32,
    // Where the inverse of the block that is solved for begins.
    inverse: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> t: array<Element>;
@group(0) @binding(2) var<storage, read> inverses: array<Element>;
@group(0) @binding(3) var<storage, read_write> work: array<Element>;
@group(0) @binding(4) var<storage, read_write> solved: array<Element>;

const LANES: u32 = WORKGROUP / BLOCK;
const TERMS: u32 = BLOCK / LANES;

var<workgroup> x: array<Scalar, BLOCK>;
var<workgroup> sums: array<Scalar, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn inverted(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    var begin = params.known + params.size + group * BLOCK;
    if (UPPER == 1u) {
        begin = params.known - (group + 1u) * BLOCK;
    }
    if (begin >= params.n) {
        return;
    }
    // Everything is asked for before anything is waited for.
    var factors: array<Scalar, TERMS>;
    var inverse: array<Scalar, TERMS>;
    let line = local / LANES;
    let lane = local % LANES;
    if (params.size > 0u) {
        let row = min(begin + line, params.n - 1u) * params.leading + params.known;
        for (var k = 0u; k < TERMS; k++) { // unrolled
            factors[k] = load(t[row + min(k * LANES + lane, params.size - 1u)]);
        }
    }
    if (group == 0u) {
        for (var k = 0u; k < TERMS; k++) { // unrolled
            inverse[k] = load(inverses[params.inverse + line * BLOCK + k * LANES + lane]);
        }
    }
    let mine = begin + local;
    let is_row = local < BLOCK && mine < params.n;
    var left = SCALAR_ZERO;
    if (is_row) {
        left = load(work[mine]);
    }
    if (local < BLOCK) {
        x[local] = SCALAR_ZERO;
        if (local < params.size) {
            x[local] = load(solved[params.known + local]);
        }
    }
    workgroupBarrier();
    var sum = SCALAR_ZERO;
    if (params.size > 0u) {
        for (var k = 0u; k < TERMS; k++) { // unrolled
            sum = s_mul_add(factors[k], x[k * LANES + lane], sum);
        }
    }
    sums[local] = sum;
    workgroupBarrier();
    if (is_row) {
        for (var k = 0u; k < LANES; k++) {
            left = s_sub(left, sums[local * LANES + k]);
        }
    }
    if (group > 0u) {
        if (is_row) {
            work[mine] = store(left);
        }
        return;
    }
    if (local < BLOCK) {
        x[local] = left;
    }
    workgroupBarrier();
    sum = SCALAR_ZERO;
    for (var k = 0u; k < TERMS; k++) { // unrolled
        sum = s_mul_add(inverse[k], x[k * LANES + lane], sum);
    }
    sums[local] = sum;
    workgroupBarrier();
    if (is_row) {
        var value = sums[local * LANES];
        for (var k = 1u; k < LANES; k++) {
            value = s_add(value, sums[local * LANES + k]);
        }
        solved[mine] = store(value);
    }
}
