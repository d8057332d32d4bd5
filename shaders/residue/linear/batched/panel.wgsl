// Eliminates in at most BLOCK columns of every prime's matrix, one workgroup a prime, column by column: a column is first
// brought up to date (left-looking), u = L^-1 a for the rows that have pivots and v = a - L u below them; the pivot is the
// first v that is not 0; then the column of L is v / pivot. L^-1, of the pivots' rows, grows by a row with each.
// The panel is worked on by columns in `lower`, where columns of L take the places of what has been done. L and L^-1 are in
// Montgomery's form twice, as sums of products want it; U goes to the matrix.
// Traffic: the panel read once, and BLOCK / 2 times what of it is L, in the cache if it is large enough.
struct Params {
    rows: u32,
    width: u32,
    first: u32,
    cols: u32,
    primes: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<storage, read_write> a: array<u32>;
@group(0) @binding(3) var<storage, read_write> lower: array<u32>;
@group(0) @binding(4) var<storage, read_write> inverses: array<u32>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;

// u of the column, balanced; 0 where there is no pivot yet.
var<workgroup> upper: array<i32, BLOCK>;
// L^-1, balanced.
var<workgroup> inverse: array<i32, BLOCK * BLOCK>;
var<workgroup> pivot_row: atomic<u32>;
var<workgroup> reciprocal: u32;

@compute @workgroup_size(WORKGROUP)
fn panel(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = workgroup_index(id, count);
    if (k >= params.primes) {
        return;
    }
    let m = modulus(k);
    let own = k * STATE_ROW;
    let top = state[own + PIVOTS];
    let matrix = k * params.rows * params.width;
    let slots = k * BLOCK * params.rows;
    for (var at = local; at < BLOCK * BLOCK; at += WORKGROUP) {
        inverse[at] = 0i;
    }
    for (var at = top * BLOCK + local; at < params.rows * BLOCK; at += WORKGROUP) {
        let row = at / BLOCK;
        let col = at % BLOCK;
        if (col < params.cols) {
            lower[slots + col * params.rows + row] = a[matrix + row * params.width + params.first + col];
        }
    }
    // Pivots of this panel. All invocations count alike.
    var pivots = 0u;
    storageBarrier();
    workgroupBarrier();
    for (var j = 0u; j < params.cols; j++) {
        let column = slots + j * params.rows;
        if (local < BLOCK) {
            var u = 0u;
            if (local < pivots) {
                var low = 0i;
                var high = 0i;
                // Pairs; L^-1 is 0 right of its diagonal, and what is read there has been filled.
                for (var i = 0u; i < pivots; i += 2u) {
                    let second = min(top + i + 1u, params.rows - 1u);
                    low += inverse[local * BLOCK + i] * balanced(lower[column + top + i], m);
                    low += inverse[local * BLOCK + i + 1u] * balanced(lower[column + second], m);
                    high += low >> 16u;
                    low &= 0xffffi;
                }
                u = settled(low, high, m);
                a[matrix + (top + local) * params.width + params.first + j] = u;
            }
            upper[local] = balanced(u, m);
        }
        if (local == 0u) {
            atomicStore(&pivot_row, NONE);
        }
        workgroupBarrier();
        var mine = NONE;
        for (var row = top + pivots + local; row < params.rows; row += WORKGROUP) {
            var low = 0i;
            var high = 0i;
            for (var i = 0u; i < pivots; i += 2u) {
                // Where the second has no pivot, its u is 0.
                low += balanced(lower[slots + i * params.rows + row], m) * upper[i];
                low += balanced(lower[slots + (i + 1u) * params.rows + row], m) * upper[i + 1u];
                high += low >> 16u;
                low &= 0xffffi;
            }
            let v = m_sub(lower[column + row], settled(low, high, m), m);
            lower[column + row] = v;
            if (v != 0u) {
                mine = min(mine, row);
            }
        }
        if (mine != NONE) {
            atomicMin(&pivot_row, mine);
        }
        storageBarrier();
        workgroupBarrier();
        let pivot = atomicLoad(&pivot_row);
        let found = pivot != NONE;
        let next = top + pivots;
        if (found && pivot != next && local < params.cols) {
            let slot = slots + local * params.rows;
            let held = lower[slot + pivot];
            lower[slot + pivot] = lower[slot + next];
            lower[slot + next] = held;
        }
        storageBarrier();
        workgroupBarrier();
        if (local == 0u) {
            if (found) {
                let value = lower[column + next];
                let determinant = m_mul(state[own + DETERMINANT], value, m);
                state[own + DETERMINANT] = select(determinant, m_neg(determinant, m), pivot != next);
                state[own + EXCHANGES + pivots] = pivot;
                a[matrix + next * params.width + params.first + j] = value;
                reciprocal = m_enter(m_pow(value, m.prime - 2u, m), m);
            } else {
                state[own + DETERMINANT] = 0u;
                state[own + DEPENDENT] = min(state[own + DEPENDENT], params.first + j);
            }
        }
        workgroupBarrier();
        if (found) {
            let target_slot = slots + pivots * params.rows;
            for (var row = next + 1u + local; row < params.rows; row += WORKGROUP) {
                lower[target_slot + row] = m_mul(lower[column + row], reciprocal, m);
            }
            // The row of L^-1: minus the row of L times the rows above.
            if (local < pivots) {
                var low = 0i;
                var high = 0i;
                for (var i = 0u; i < pivots; i += 2u) {
                    // The row below the last is still 0.
                    low += balanced(lower[slots + i * params.rows + next], m) * inverse[i * BLOCK + local];
                    low += balanced(lower[slots + (i + 1u) * params.rows + next], m) * inverse[(i + 1u) * BLOCK + local];
                    high += low >> 16u;
                    low &= 0xffffi;
                }
                inverse[pivots * BLOCK + local] = balanced(m_neg(settled(low, high, m), m), m);
            } else if (local == pivots) {
                inverse[pivots * BLOCK + local] = balanced(m.square, m);
            }
            pivots += 1u;
        }
        storageBarrier();
        workgroupBarrier();
    }
    for (var at = local; at < BLOCK * BLOCK; at += WORKGROUP) {
        inverses[k * BLOCK * BLOCK + at] = bitcast<u32>(inverse[at]);
    }
    if (local == 0u) {
        state[own + PIVOTS] = top + pivots;
        state[own + OF_PANEL] = pivots;
    }
}
