// What a block of columns that is done still asks of the trailing matrix: C -= L U, of a tile of C, by DOWN teams of a workgroup.
// An invocation has TALL neighbouring rows of it and BROAD columns, TEAM apart. Panels DEEP terms deep pass through workgroup
// memory; while one pair is multiplied, the next is on its way from memory into registers. L and U are read where they are, in A.
// Traffic: L is read n / TILE_COLS times, U m / TILE_ROWS times, C read and written once; workgroup memory 1 / TALL + 1 / BROAD
// scalars a multiply-add.
const TEAM: u32 = 32u;
const TILE_ROWS: u32 = DOWN * TALL;
const TILE_COLS: u32 = TEAM * BROAD;
// Invocations that run together share a patch of the tile, in which four neighbours are a square, as in dense/gemm.wgsl: workgroup
// memory serves more of them at once. In a line of C they are neighbours, too: longer lines, so that C holds up a panel less.
const PATCH: u32 = 32u;
const PATCH_DOWN: u32 = 2u;
const PATCH_ACROSS: u32 = PATCH / PATCH_DOWN;
// L lies by depth, turned, where a run more keeps neighbours in different banks; U with an invocation's columns side by side.
// Both are of scalars, since neighbours store parts of a run (dense/gemm.wgsl); compilers read them by runs all the same.
const L_LINE: u32 = TILE_ROWS + RUN;
const U_LINE: u32 = TILE_COLS;
const L_SCALARS: u32 = TILE_ROWS * DEEP;
const U_SCALARS: u32 = TILE_COLS * DEEP;
const L_LOADS: u32 = (L_SCALARS + WORKGROUP - 1u) / WORKGROUP;
const U_LOADS: u32 = (U_SCALARS + WORKGROUP - 1u) / WORKGROUP;

// The same memory serves a strip (lu/step.wgsl): a workgroup does one or the other.
var<workgroup> tile_l: array<Scalar, max(DEEP * L_LINE, STRIP_L)>;
var<workgroup> tile_u: array<Scalar, max(DEEP * U_LINE, STRIP_U)>;

// The column of a tile that lies at a place of a line of U.
fn column_at(place: u32) -> u32 { return place / RUN % TEAM + (place / RUN / TEAM * RUN + place % RUN) * TEAM; }

fn update_trailing(tile: u32, local: u32) {
    let top = params.first + tile / params.across * TILE_ROWS;
    let left = params.left + tile % params.across * TILE_COLS;
    let team = local / PATCH;
    let square = local % PATCH / 4u;
    let in_line = team % (TEAM / PATCH_ACROSS);
    let down = TALL * (team / (TEAM / PATCH_ACROSS) * PATCH_DOWN + square / (PATCH_ACROSS / 2u) * 2u + local / 2u % 2u);
    let beside = in_line * PATCH_ACROSS + square % (PATCH_ACROSS / 2u) * 2u + local % 2u;
    let multiplies = DOWN * TEAM == WORKGROUP || local < DOWN * TEAM;
    let rows = params.first + params.height;

    var sum: array<Run, BROAD * TALL / RUN>;
    for (var e = 0u; e < BROAD * TALL / RUN; e++) { // unrolled
        sum[e] = Run();
    }
    var at_l: array<u32, L_LOADS>;
    var at_u: array<u32, U_LOADS>;
    var next_l: array<Scalar, L_LOADS>;
    var next_u: array<Scalar, U_LOADS>;
    // Lines past the last repeat it, and so do slots.
    for (var s = 0u; s < L_LOADS; s++) { // unrolled
        let slot = min(local + s * WORKGROUP, L_SCALARS - 1u);
        at_l[s] = min(top + slot / DEEP, rows - 1u) * params.leading + params.done + slot % DEEP;
        next_l[s] = load(a[at_l[s]]);
    }
    for (var s = 0u; s < U_LOADS; s++) { // unrolled
        let slot = min(local + s * WORKGROUP, U_SCALARS - 1u);
        let column = min(left + column_at(slot % TILE_COLS), params.right - 1u);
        at_u[s] = (params.done + slot / TILE_COLS) * params.leading + column;
        next_u[s] = load(a[at_u[s]]);
    }
    for (var k = params.done; k < params.first; k += DEEP) {
        for (var s = 0u; s < L_LOADS; s++) { // unrolled
            let slot = local + s * WORKGROUP;
            if (L_SCALARS % WORKGROUP == 0u || slot < L_SCALARS) {
                tile_l[slot % DEEP * L_LINE + slot / DEEP] = next_l[s];
            }
        }
        for (var s = 0u; s < U_LOADS; s++) { // unrolled
            let slot = local + s * WORKGROUP;
            if (U_SCALARS % WORKGROUP == 0u || slot < U_SCALARS) {
                tile_u[slot] = next_u[s];
            }
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
        if (multiplies) {
            for (var l = 0u; l < DEEP; l++) { // unrolled
                var column: array<Run, TALL / RUN>;
                var row: array<Run, BROAD / RUN>;
                for (var i = 0u; i < TALL; i += RUN) { // unrolled
                    for (var e = 0u; e < RUN; e++) { // unrolled
                        column[i / RUN][e] = tile_l[l * L_LINE + down + i + e];
                    }
                }
                for (var j = 0u; j < BROAD; j += RUN) { // unrolled
                    for (var e = 0u; e < RUN; e++) { // unrolled
                        row[j / RUN][e] = tile_u[l * U_LINE + (j / RUN * TEAM + beside) * RUN + e];
                    }
                }
                for (var j = 0u; j < BROAD; j++) { // unrolled
                    for (var i = 0u; i < TALL; i += RUN) { // unrolled
                        let u = row[j / RUN][j % RUN];
                        sum[(j * TALL + i) / RUN] = run_mul_add(u, column[i / RUN], sum[(j * TALL + i) / RUN]);
                    }
                }
            }
        }
        workgroupBarrier();
    }
    if (!multiplies) {
        return;
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
