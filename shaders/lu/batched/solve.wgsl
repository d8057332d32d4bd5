// A X = B of many systems, from L, U and pivots (lu/batched/factor.wgsl): X overwrites B, whose rows have `columns` elements.
// A team has a system with its rows in registers (lu/batched/rows.wgsl), and RIGHT columns of B at a time beside them; each
// unknown is published in workgroup memory when it is known, and subtracted from the rows below or above it. The CHUNK
// columns in work are always the first: rows turn, since what is indexed by a variable would lie in memory.
// Traffic: L and U are read once, B is read and written once. A barrier for each unknown of either triangle.
struct Params {
    // Systems, and the first that this launch is for.
    count: u32,
    first: u32,
    n: u32,
    columns: u32,
    // Of these columns.
    begin: u32,
    end: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> b: array<Element>;

var<workgroup> known: array<Scalar, SYSTEMS * WIDTH * RIGHT>;

@compute @workgroup_size(WORKGROUP)
fn solve(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let team = local / TEAM;
    let lane = local % TEAM;
    let n = params.n;
    let system = params.first + workgroup_index(id, count) * SYSTEMS + team;
    // A team without a system works on the last one, and writes nothing: barriers are for all.
    let inside = system < params.count;
    let there = min(system, params.count - 1u);
    let shelf = team * (WIDTH * RIGHT);

    var rows: array<Scalar, ROWS * WIDTH>;
    read_rows(team, lane, there * n * n, &rows);
    // Where the exchanges bring row lane + r * TEAM of B.
    var home: array<u32, ROWS>;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        home[r] = lane + r * TEAM;
    }
    for (var k = 0u; k < n; k++) {
        let pivot = pivots[there * n + k];
        for (var r = 0u; r < ROWS; r++) { // unrolled
            home[r] = select(select(home[r], pivot, home[r] == k), k, home[r] == pivot);
        }
    }
    for (var left = params.begin; left < params.end; left += RIGHT) {
        let last = params.end - 1u - left;
        let corner = there * n * params.columns + left;
        workgroupBarrier();
        for (var r = 0u; r < ROWS; r++) { // unrolled
            let row = min(lane + r * TEAM, n - 1u);
            for (var q = 0u; q < RIGHT; q++) { // unrolled
                let x = load(b[corner + row * params.columns + min(q, last)]);
                if (lane + r * TEAM < n) {
                    known[shelf + home[r] * RIGHT + q] = x;
                }
            }
        }
        workgroupBarrier();
        var x: array<Scalar, ROWS * RIGHT>;
        for (var r = 0u; r < ROWS; r++) { // unrolled
            for (var q = 0u; q < RIGHT; q++) { // unrolled
                x[r * RIGHT + q] = known[shelf + min(lane + r * TEAM, n - 1u) * RIGHT + q];
            }
        }
        workgroupBarrier();
        // L Y = P B. Nothing is below the last row, and its unknown would meet that of U.
        for (var c = 0u; c * CHUNK < n; c++) {
            for (var i = 0u; i < CHUNK; i++) { // unrolled
                let k = c * CHUNK + i;
                if (k + 1u < n) {
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        if (lane + r * TEAM == k) {
                            for (var q = 0u; q < RIGHT; q++) { // unrolled
                                known[shelf + k * RIGHT + q] = x[r * RIGHT + q];
                            }
                        }
                    }
                    workgroupBarrier();
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        if (lane + r * TEAM > k) {
                            for (var q = 0u; q < RIGHT; q++) { // unrolled
                                let y = known[shelf + k * RIGHT + q];
                                x[r * RIGHT + q] = s_mul_add(s_neg(rows[r * WIDTH + i]), y, x[r * RIGHT + q]);
                            }
                        }
                    }
                }
            }
            turn_left(&rows);
        }
        // U X = Y, from the last unknown on.
        for (var c = (n + CHUNK - 1u) / CHUNK; c > 0u; c--) {
            turn_right(&rows);
            for (var i = 0u; i < CHUNK; i++) { // unrolled
                let k = c * CHUNK - 1u - i;
                if (k < n) {
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        if (lane + r * TEAM == k) {
                            for (var q = 0u; q < RIGHT; q++) { // unrolled
                                x[r * RIGHT + q] = s_div(x[r * RIGHT + q], rows[r * WIDTH + CHUNK - 1u - i]);
                                known[shelf + k * RIGHT + q] = x[r * RIGHT + q];
                            }
                        }
                    }
                    workgroupBarrier();
                    for (var r = 0u; r < ROWS; r++) { // unrolled
                        if (lane + r * TEAM < k) {
                            for (var q = 0u; q < RIGHT; q++) { // unrolled
                                let y = known[shelf + k * RIGHT + q];
                                let u = rows[r * WIDTH + CHUNK - 1u - i];
                                x[r * RIGHT + q] = s_mul_add(s_neg(u), y, x[r * RIGHT + q]);
                            }
                        }
                    }
                }
            }
        }
        for (var r = 0u; r < ROWS; r++) { // unrolled
            for (var q = 0u; q < RIGHT; q++) { // unrolled
                if (inside && lane + r * TEAM < n && q <= last) {
                    b[corner + (lane + r * TEAM) * params.columns + q] = store(x[r * RIGHT + q]);
                }
            }
        }
    }
}

// Each row by CHUNK columns, the first ones to the end.
fn turn_left(rows: ptr<function, array<Scalar, ROWS * WIDTH>>) {
    let old = *rows;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        for (var j = 0u; j < WIDTH; j++) { // unrolled
            (*rows)[r * WIDTH + j] = old[r * WIDTH + (j + CHUNK) % WIDTH];
        }
    }
}

// Each row by CHUNK columns, the last ones to the front.
fn turn_right(rows: ptr<function, array<Scalar, ROWS * WIDTH>>) {
    let old = *rows;
    for (var r = 0u; r < ROWS; r++) { // unrolled
        for (var j = 0u; j < WIDTH; j++) { // unrolled
            (*rows)[r * WIDTH + (j + CHUNK) % WIDTH] = old[r * WIDTH + j];
        }
    }
}
