// A round of tournament pivoting (Grigori, Demmel and Xiang 2011, section 3): a workgroup takes WORKGROUP candidate rows of
// a panel, eliminates with partial pivoting, and passes on the `width` pivot rows, in their order. One invocation holds one
// row, the column in work always first. The rows in memory stay as they are. Traffic: WORKGROUP x width elements are read.
struct Params {
    first: u32,
    width: u32,
    leading: u32,
    count: u32,
    // Where the candidates are and where the winners go, in rows; in the first round the candidates are all rows.
    round: u32,
    read_at: u32,
    write_at: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> rows: array<u32>;

const NOBODY: u32 = 0xffffffffu;
const ELECTORS: u32 = 8u;

var<workgroup> ranks: array<vec2<u32>, WORKGROUP>;
var<workgroup> best: array<u32, ELECTORS>;
var<workgroup> pivot: array<Scalar, WIDTH>;

fn above(x: vec2<u32>, y: vec2<u32>) -> bool { return x.x > y.x || (x.x == y.x && x.y > y.y); }

@compute @workgroup_size(WORKGROUP)
fn tournament(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let candidate = group * WORKGROUP + local;
    // Whether it is a row, and none of the pivots yet.
    var waits = candidate < params.count;
    var row = candidate;
    if (waits && params.round > 0u) {
        row = rows[params.read_at + candidate];
    }
    // A group with fewer rows than columns passes on all that it has, and gaps.
    waits = waits && row != NOBODY;
    var x: array<Scalar, WIDTH>;
    for (var j = 0u; j < WIDTH; j++) { // unrolled
        x[j] = SCALAR_ZERO;
        if (waits && j < params.width) {
            x[j] = load(a[(params.first + row) * params.leading + params.first + j]);
        }
    }
    for (var c = 0u; c < params.width; c++) {
        // One more than the rank, so that a row of zeros is above no row.
        ranks[local] = vec2<u32>(0u);
        if (waits) {
            let rank = s_rank(x[0]);
            ranks[local] = vec2<u32>(rank.x + 1u, rank.y);
        }
        workgroupBarrier();
        if (local < ELECTORS) {
            var mine = local;
            for (var i = local + ELECTORS; i < WORKGROUP; i += ELECTORS) {
                if (above(ranks[i], ranks[mine])) {
                    mine = i;
                }
            }
            best[local] = mine;
        }
        workgroupBarrier();
        var winner = best[0];
        for (var i = 1u; i < ELECTORS; i++) {
            let other = best[i];
            let same = all(ranks[other] == ranks[winner]);
            if (above(ranks[other], ranks[winner]) || (same && other < winner)) {
                winner = other;
            }
        }
        let exists = ranks[winner].x > 0u;
        if (local == winner) {
            var passed = NOBODY;
            if (exists) {
                passed = row;
            }
            rows[params.write_at + group * params.width + c] = passed;
            for (var j = 0u; j < WIDTH; j++) { // unrolled
                pivot[j] = x[j];
            }
            waits = false;
        }
        workgroupBarrier();
        let negative = s_neg(divided(x[0], divisor(pivot[0])));
        for (var j = 1u; j < WIDTH; j++) { // unrolled
            x[j - 1u] = s_mul_add(negative, pivot[j], x[j]);
        }
    }
}
