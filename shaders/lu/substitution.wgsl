// One step of T X = B for a triangle T of many rows and few columns of B, by blocks of BLOCK rows: solves the block of
// `size` rows at `first`, and takes what it contributes from `rest` rows at `begin`. T is read as
// t[i * t_row + j * t_col]; UPPER = 1 goes from the last row up, UNIT = 1 has ones on the diagonal.
// A workgroup has one column of B and ROWS rows of the rest. All workgroups solve the block, each for itself: what they
// would have to wait for costs a dispatch, and the block is small. Then an invocation sums 1 / LANES of a row of the rest;
// neighbours read neighbours of T (TURNED = 1: T lies by columns). `work` has the right-hand sides, which this dispatch reads
// at `first` and changes in the rest; the solution goes elsewhere, to `solved`.
// Traffic: `size` rows or columns of T once, and the block for each workgroup (from the cache).
struct Params {
    size: u32,
    first: u32,
    begin: u32,
    rest: u32,
    cols: u32,
    chunks: u32,
    t_row: u32,
    t_col: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> t: array<Element>;
@group(0) @binding(2) var<storage, read_write> work: array<Element>;
@group(0) @binding(3) var<storage, read_write> solved: array<Element>;

const ROWS: u32 = WORKGROUP / LANES;
const TERMS: u32 = BLOCK / LANES;
// Steps for which coefficients come ahead.
const CHUNK: u32 = 8u;

var<workgroup> x: array<Scalar, BLOCK>;
var<workgroup> sums: array<Scalar, WORKGROUP>;

fn entry(i: u32, j: u32) -> Scalar { return load(t[i * params.t_row + j * params.t_col]); }

// The row that is solved for in that step; past the end, the last one.
fn row_of(step: u32) -> u32 {
    let within = min(step, params.size - 1u);
    return select(within, params.size - 1u - within, UPPER == 1u);
}

// Solves the block on the diagonal row by row, a barrier each; an invocation solves one row. Leaves the solution in `x`, by rows of
// the block, behind a barrier.
fn solve_diagonal(local: u32, column: u32) {
    let mine = params.first + row_of(local);
    var value = load(work[mine * params.cols + column]);
    var divisor = SCALAR_ONE;
    if (UNIT == 0u) {
        divisor = entry(mine, mine);
    }
    var ahead: array<Scalar, CHUNK>;
    for (var q = 0u; q < CHUNK; q++) { // unrolled
        ahead[q] = entry(mine, params.first + row_of(q));
    }
    if (local < BLOCK) {
        x[local] = SCALAR_ZERO;
    }
    workgroupBarrier();
    for (var base = 0u; base < params.size; base += CHUNK) {
        let now = ahead;
        if (base + CHUNK < params.size) {
            for (var q = 0u; q < CHUNK; q++) { // unrolled
                ahead[q] = entry(mine, params.first + row_of(base + CHUNK + q));
            }
        }
        for (var q = 0u; q < CHUNK; q++) { // unrolled
            let step = base + q;
            if (local == step && step < params.size) {
                if (UNIT == 0u) {
                    value = s_div(value, divisor);
                }
                x[row_of(step)] = value;
            }
            workgroupBarrier();
            if (local > step && local < params.size) {
                value = s_mul_add(s_neg(now[q]), x[row_of(step)], value);
            }
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn substitution(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= params.chunks * params.cols) {
        return;
    }
    let column = group % params.cols;
    let chunk = group / params.cols;
    // Asked for before anything is waited for.
    let line = select(local / LANES, local % ROWS, TURNED == 1u);
    let lane = select(local % LANES, local / ROWS, TURNED == 1u);
    let place = chunk * ROWS + line;
    let row = params.begin + min(place, max(params.rest, 1u) - 1u);
    var factors: array<Scalar, TERMS>;
    if (params.rest > 0u) {
        for (var k = 0u; k < TERMS; k++) { // unrolled
            factors[k] = entry(row, params.first + min(k * LANES + lane, params.size - 1u));
        }
    }
    solve_diagonal(local, column);
    if (chunk == 0u && local < params.size) {
        solved[(params.first + local) * params.cols + column] = store(x[local]);
    }
    var sum = SCALAR_ZERO;
    for (var k = 0u; k < TERMS; k++) { // unrolled
        if (k * LANES + lane < params.size) {
            sum = s_mul_add(factors[k], x[k * LANES + lane], sum);
        }
    }
    sums[line * LANES + lane] = sum;
    workgroupBarrier();
    if (local < ROWS && chunk * ROWS + local < params.rest) {
        var total = sums[local * LANES];
        for (var k = 1u; k < LANES; k++) {
            total = s_add(total, sums[local * LANES + k]);
        }
        let at = (params.begin + chunk * ROWS + local) * params.cols + column;
        work[at] = store(s_sub(load(work[at]), total));
    }
}
