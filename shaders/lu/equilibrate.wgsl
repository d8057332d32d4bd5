// The powers of two that bring the largest entry of every row, and then of every column, to [1, 2): exponents of entries
// are read off their bits, so that nothing is rounded and nothing over- or underflows. Of each line (a row; a column where
// TURNED = 1) the largest exponent of an entry, plus what `others` adds to that of its row; the result is its negative.
// A line of zeros gets 0, and one with an entry that is not finite NOT_FINITE. A workgroup has WORKGROUP / LANES lines,
// LANES invocations stride over one; neighbours read neighbours. Traffic: A is read once.
struct Params {
    rows: u32,
    cols: u32,
    leading: u32,
    offset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> others: array<i32>;
@group(0) @binding(3) var<storage, read_write> result: array<i32>;

const LINES: u32 = WORKGROUP / LANES;
const NOTHING: i32 = -0x7fffffff;
const NOT_FINITE: i32 = 0x7fffffff;

var<workgroup> largest: array<i32, WORKGROUP>;

// The exponent of |x|, from its leading 32 bits, of which FRACTION are the fraction's; a subnormal counts as the smallest
// normal number.
fn exponent(x: Scalar) -> i32 {
    let rank = s_rank(x);
    if (rank.x == 0u && rank.y == 0u) {
        return NOTHING;
    }
    let biased = i32(rank.x >> FRACTION);
    let bias = i32((1u << (30u - FRACTION)) - 1u);
    if (biased > 2 * bias) {
        return NOT_FINITE;
    }
    return max(biased, 1) - bias;
}

@compute @workgroup_size(WORKGROUP)
fn equilibrate(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let line = select(local / LANES, local % LINES, TURNED == 1u);
    let lane = select(local % LANES, local / LINES, TURNED == 1u);
    let at = workgroup_index(id, count) * LINES + line;
    let lines = select(params.rows, params.cols, TURNED == 1u);
    let length = select(params.cols, params.rows, TURNED == 1u);
    var top = NOTHING;
    if (at < lines) {
        for (var k = lane; k < length; k += LANES) {
            let row = select(at, k, TURNED == 1u);
            let column = select(k, at, TURNED == 1u);
            let own = exponent(load(a[params.offset + row * params.leading + column]));
            if (own == NOT_FINITE || own == NOTHING || TURNED == 0u) {
                top = max(top, own);
            } else {
                top = max(top, own + others[row]);
            }
        }
    }
    largest[line * LANES + lane] = top;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half = half / 2u) {
        if (lane < half) {
            largest[line * LANES + lane] = max(largest[line * LANES + lane], largest[line * LANES + lane + half]);
        }
        workgroupBarrier();
    }
    if (lane == 0u && at < lines) {
        let found = largest[line * LANES];
        if (found == NOT_FINITE) {
            result[at] = NOT_FINITE;
        } else {
            result[at] = select(-found, 0, found == NOTHING);
        }
    }
}
