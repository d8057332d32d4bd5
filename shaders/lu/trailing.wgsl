// What a block of columns that is done still asks of the trailing matrix: C -= L U, of a tile of C. An invocation has TALL
// neighbouring rows of it and BROAD columns, TEAM apart, so that invocations that run together read and write neighbours, and
// all of them the same rows of L. Panels DEEP terms deep pass through workgroup memory; while one pair is multiplied, the next
// is on its way from memory into registers. L and U are read where they are, in A.
// Traffic: L is read n / TILE_COLS times, U m / TILE_ROWS times, C read and written once.
const TEAM: u32 = 32u;
const TILE_ROWS: u32 = WORKGROUP / TEAM * TALL;
const TILE_COLS: u32 = TEAM * BROAD;
// L lies by depth, turned, where a run more keeps neighbours in different banks.
const L_LINE: u32 = TILE_ROWS / RUN + 1u;
const L_LOADS: u32 = TILE_ROWS * DEEP / WORKGROUP;
const U_LOADS: u32 = TILE_COLS * DEEP / WORKGROUP;

var<workgroup> tile_l: array<Run, DEEP * L_LINE>;
var<workgroup> tile_u: array<Scalar, DEEP * TILE_COLS>;

fn update_trailing(tile: u32, local: u32) {
    let top = params.first + tile / params.across * TILE_ROWS;
    let left = params.left + tile % params.across * TILE_COLS;
    let down = local / TEAM * TALL;
    let beside = local % TEAM;
    let rows = params.first + params.height;

    var sum: array<Run, BROAD * TALL / RUN>;
    for (var e = 0u; e < BROAD * TALL / RUN; e++) { // unrolled
        sum[e] = Run();
    }
    var at_l: array<u32, L_LOADS>;
    var at_u: array<u32, U_LOADS>;
    var next_l: array<Scalar, L_LOADS>;
    var next_u: array<Scalar, U_LOADS>;
    // Lines past the last repeat it.
    for (var s = 0u; s < L_LOADS; s++) { // unrolled
        let slot = local + s * WORKGROUP;
        at_l[s] = min(top + slot / DEEP, rows - 1u) * params.leading + params.done + slot % DEEP;
        next_l[s] = load(a[at_l[s]]);
    }
    for (var s = 0u; s < U_LOADS; s++) { // unrolled
        let slot = local + s * WORKGROUP;
        at_u[s] = (params.done + slot / TILE_COLS) * params.leading + min(left + slot % TILE_COLS, params.right - 1u);
        next_u[s] = load(a[at_u[s]]);
    }
    for (var k = params.done; k < params.first; k += DEEP) {
        for (var s = 0u; s < L_LOADS; s++) { // unrolled
            let slot = local + s * WORKGROUP;
            tile_l[slot % DEEP * L_LINE + slot / DEEP / RUN][slot / DEEP % RUN] = next_l[s];
        }
        for (var s = 0u; s < U_LOADS; s++) { // unrolled
            tile_u[local + s * WORKGROUP] = next_u[s];
        }
        workgroupBarrier();
        if (k + DEEP < params.first) {
            for (var s = 0u; s < L_LOADS; s++) { // unrolled
                at_l[s] += DEEP;
                next_l[s] = load(a[at_l[s]]);
            }
            for (var s = 0u; s < U_LOADS; s++) { // unrolled
                at_u[s] += DEEP * params.leading;
                next_u[s] = load(a[at_u[s]]);
            }
        }
        for (var l = 0u; l < DEEP; l++) { // unrolled
            var column: array<Run, TALL / RUN>;
            for (var i = 0u; i < TALL; i += RUN) { // unrolled
                column[i / RUN] = tile_l[l * L_LINE + (down + i) / RUN];
            }
            for (var j = 0u; j < BROAD; j++) { // unrolled
                let u = tile_u[l * TILE_COLS + beside + j * TEAM];
                for (var i = 0u; i < TALL; i += RUN) { // unrolled
                    sum[(j * TALL + i) / RUN] = run_mul_add(u, column[i / RUN], sum[(j * TALL + i) / RUN]);
                }
            }
        }
        workgroupBarrier();
    }
    // All of C is asked for before any of it is stored, since a store holds up the loads behind it.
    for (var i = 0u; i < TALL; i++) { // unrolled
        for (var j = 0u; j < BROAD; j++) { // unrolled
            let row = min(top + down + i, rows - 1u);
            let column = min(left + beside + j * TEAM, params.right - 1u);
            let old = load(a[row * params.leading + column]);
            sum[(j * TALL + i) / RUN][i % RUN] = s_sub(old, sum[(j * TALL + i) / RUN][i % RUN]);
        }
    }
    for (var i = 0u; i < TALL; i++) { // unrolled
        for (var j = 0u; j < BROAD; j++) { // unrolled
            let row = top + down + i;
            let column = left + beside + j * TEAM;
            if (row < rows && column < params.right) {
                a[row * params.leading + column] = store(sum[(j * TALL + i) / RUN][i % RUN]);
            }
        }
    }
}
