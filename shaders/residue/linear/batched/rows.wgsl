// Right of a panel: exchanges the rows as the panel did, and makes the pivots' rows those of U, u = L^-1 a. One invocation
// does one column modulo one prime.
// Traffic: the pivots' rows read and written once, and the rows that were exchanged, which are few: a residue is 0 for one
// matrix in p.
struct Params {
    rows: u32,
    width: u32,
    first: u32,
    blocks: u32,
    primes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> a: array<u32>;
@group(0) @binding(3) var<storage, read> inverses: array<u32>;
@group(0) @binding(4) var<storage, read> state: array<u32>;

var<workgroup> inverse: array<i32, BLOCK * BLOCK>;
// Columns of a, balanced: each invocation reads its own.
var<workgroup> columns: array<i32, BLOCK * WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn rows(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    let k = group / params.blocks;
    if (k >= params.primes) {
        return;
    }
    let m = modulus(k);
    let own = k * STATE_ROW;
    let pivots = state[own + OF_PANEL];
    let top = state[own + PIVOTS] - pivots;
    for (var at = local; at < BLOCK * BLOCK; at += WORKGROUP) {
        inverse[at] = bitcast<i32>(inverses[k * BLOCK * BLOCK + at]);
    }
    workgroupBarrier();
    let col = params.first + (group % params.blocks) * WORKGROUP + local;
    if (col >= params.width) {
        return;
    }
    let column = k * params.rows * params.width + col;
    for (var t = 0u; t < pivots; t++) {
        let other = state[own + EXCHANGES + t];
        let at = column + (top + t) * params.width;
        if (other != top + t) {
            let from_other = column + other * params.width;
            let held = a[from_other];
            a[from_other] = a[at];
            a[at] = held;
        }
    }
    for (var t = 0u; t < pivots; t++) {
        columns[t * WORKGROUP + local] = balanced(a[column + (top + t) * params.width], m);
    }
    if (pivots % 2u == 1u) {
        columns[pivots * WORKGROUP + local] = 0i;
    }
    // The first row of L^-1 is that of the identity.
    for (var t = 1u; t < pivots; t++) {
        var low = 0i;
        var high = 0i;
        for (var i = 0u; i <= t; i += 2u) {
            low += inverse[t * BLOCK + i] * columns[i * WORKGROUP + local];
            low += inverse[t * BLOCK + i + 1u] * columns[(i + 1u) * WORKGROUP + local];
            high += low >> 16u;
            low &= 0xffffi;
        }
        a[column + (top + t) * params.width] = settled(low, high, m);
    }
}
