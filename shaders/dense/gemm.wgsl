// C <- alpha op(A) op(B) + beta C. A workgroup computes TILE_ROWS x TILE_COLS of C, an invocation ROWS x COLS of that in
// registers. Panels of op(A) and op(B), DEPTH deep, pass through workgroup memory, where both lie by depth; while one pair
// is multiplied, the next is on its way from memory into registers. An operand that lies along the depth is turned.
// Tiles from `whole` on, which would leave a last round of workgroups half empty, are computed in parts of the depth, each by
// a workgroup, and each kept by rows in a tile of its own: the first parts of all of them, then the second, and so on
// (gemm_finish.wgsl).
// Traffic: A is read n / TILE_COLS times, B m / TILE_ROWS times, C written once (read if beta != 0); workgroup memory
// (ROWS + COLS) / (ROWS COLS) scalars a multiply-add.
struct Params {
    rows: u32,
    cols: u32,
    depth: u32,
    a_offset: u32,
    a_leading: u32,
    b_offset: u32,
    b_leading: u32,
    c_offset: u32,
    c_leading: u32,
    tiles_across: u32,
    // Tiles that are computed whole, those after them, their parts, and the depth of a part.
    whole: u32,
    rest: u32,
    parts: u32,
    chunk: u32,
    reads_c: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Pack>;
@group(0) @binding(2) var<storage, read> b: array<Pack>;
@group(0) @binding(3) var<storage, read_write> c: array<Pack>;
@group(0) @binding(4) var<storage, read_write> kept: array<Pack>;

// An invocation's rows are NEAR neighbours, those of every other invocation, NEAR neighbours again; its columns likewise.
// So a Run, which is read from workgroup memory at once, is its own, and so is a pack of C.
const NEAR: u32 = max(RUN, PACK);
const DOWN: u32 = TILE_ROWS / ROWS;
const ACROSS: u32 = TILE_COLS / COLS;
const WORKGROUP: u32 = DOWN * ACROSS;
// Invocations that run together share a patch of the tile, not a line of it: they read less from workgroup memory. Four
// neighbours are a square in it. Of 16 bytes each, workgroup memory serves 8 lanes at once, and 16 if each reads the same as
// the lane beside it, or as the one beyond (BENCHMARKS.md): so in a square, with rows as with columns.
const PATCH: u32 = 32u;
const PATCH_DOWN: u32 = min(DOWN, 8u);
const PATCH_ACROSS: u32 = PATCH / PATCH_DOWN;

// Lines of a panel; one that is turned is written down its columns, where 4 more keep neighbours in different banks.
const A_LINE: u32 = TILE_ROWS + 4u * A_TURNED;
const B_LINE: u32 = TILE_COLS + 4u * B_TURNED;
// Packs of a panel, and how many of them an invocation reads: where they do not divide, some read the last pack for the last time,
// which costs less than a branch around a load, and do not keep it.
const A_PACKS: u32 = TILE_ROWS * DEPTH / PACK;
const B_PACKS: u32 = TILE_COLS * DEPTH / PACK;
const A_LOADS: u32 = (A_PACKS + WORKGROUP - 1u) / WORKGROUP;
const B_LOADS: u32 = (B_PACKS + WORKGROUP - 1u) / WORKGROUP;

// Panels are of runs. Where neighbours would store parts of one they are of scalars, unless STORES_PARTS says that a device's
// stores leave the other parts alone: WGSL does not ("Component Reference from Vector Memory View"), SPIR-V does.
const A_RUNS: u32 = max(STORES_PARTS, (1u - A_TURNED) * min(PACK / RUN, 1u));
const B_RUNS: u32 = max(STORES_PARTS, (1u - B_TURNED) * min(PACK / RUN, 1u));
var<workgroup> a_runs: array<Run, max(A_RUNS * DEPTH * A_LINE / RUN, 1u)>;
var<workgroup> b_runs: array<Run, max(B_RUNS * DEPTH * B_LINE / RUN, 1u)>;
var<workgroup> a_scalars: array<Scalar, max((1u - A_RUNS) * DEPTH * A_LINE, 1u)>;
var<workgroup> b_scalars: array<Scalar, max((1u - B_RUNS) * DEPTH * B_LINE, 1u)>;

@compute @workgroup_size(WORKGROUP)
fn gemm(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var tile = workgroup_index(id, count);
    var part = 0u;
    var begin = 0u;
    var end = params.depth;
    let is_part = tile >= params.whole;
    if (is_part) {
        part = tile - params.whole;
        if (part >= params.rest * params.parts) {
            return;
        }
        tile = params.whole + part % params.rest;
        begin = part / params.rest * params.chunk;
        end = min(params.depth, begin + params.chunk);
    }
    let top = (tile / params.tiles_across) * TILE_ROWS;
    let left = (tile % params.tiles_across) * TILE_COLS;
    let team = local / PATCH;
    let square = local % PATCH / 4u;
    let down = team / (ACROSS / PATCH_ACROSS) * PATCH_DOWN + square / (PATCH_ACROSS / 2u) * 2u + local / 2u % 2u;
    let across = team % (ACROSS / PATCH_ACROSS) * PATCH_ACROSS + square % (PATCH_ACROSS / 2u) * 2u + local % 2u;
    // In runs, since a compiler does not cancel (4x + c) / 4.
    let from_column = down * (NEAR / RUN);
    let from_row = across * (NEAR / RUN);

    var sum: array<array<Run, COLS / RUN>, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        for (var j = 0u; j < COLS; j += RUN) { // unrolled
            sum[i][j / RUN] = Run();
        }
    }
    // Panels that are whole. Addresses are found once: a loop has room for little but multiply-adds.
    let whole = begin + (end - begin) / DEPTH * DEPTH;
    let a_step = select(DEPTH * params.a_leading, DEPTH / PACK, A_TURNED != 0u);
    let b_step = select(DEPTH * params.b_leading, DEPTH / PACK, B_TURNED != 0u);
    var at_a: array<u32, A_LOADS>;
    var at_b: array<u32, B_LOADS>;
    var next_a: array<Pack, A_LOADS>;
    var next_b: array<Pack, B_LOADS>;
    for (var s = 0u; s < A_LOADS; s++) { // unrolled
        at_a[s] = address_a(min(local + s * WORKGROUP, A_PACKS - 1u), top, begin);
        if (begin < whole) {
            next_a[s] = a[at_a[s]];
        }
    }
    for (var s = 0u; s < B_LOADS; s++) { // unrolled
        at_b[s] = address_b(min(local + s * WORKGROUP, B_PACKS - 1u), left, begin);
        if (begin < whole) {
            next_b[s] = b[at_b[s]];
        }
    }
    for (var k = begin; k < whole; k += DEPTH) {
        for (var s = 0u; s < A_LOADS; s++) { // unrolled
            if (A_PACKS % WORKGROUP == 0u || local + s * WORKGROUP < A_PACKS) {
                keep_a(local + s * WORKGROUP, next_a[s]);
            }
        }
        for (var s = 0u; s < B_LOADS; s++) { // unrolled
            if (B_PACKS % WORKGROUP == 0u || local + s * WORKGROUP < B_PACKS) {
                keep_b(local + s * WORKGROUP, next_b[s]);
            }
        }
        workgroupBarrier();
        if (k + DEPTH < whole) {
            for (var s = 0u; s < A_LOADS; s++) { // unrolled
                at_a[s] += a_step;
                next_a[s] = a[at_a[s]];
            }
            for (var s = 0u; s < B_LOADS; s++) { // unrolled
                at_b[s] += b_step;
                next_b[s] = b[at_b[s]];
            }
        }
        for (var l = 0u; l < DEPTH; l++) { // unrolled
            var column: array<Run, ROWS / RUN>;
            var row: array<Run, COLS / RUN>;
            // Compilers assign registers by what is read first.
            if (B_FIRST == 0u) {
                for (var i = 0u; i < ROWS; i += RUN) { // unrolled
                    column[i / RUN] = run_of_a(l * (A_LINE / RUN) + place(i, DOWN) / RUN + from_column);
                }
            }
            for (var j = 0u; j < COLS; j += RUN) { // unrolled
                row[j / RUN] = run_of_b(l * (B_LINE / RUN) + place(j, ACROSS) / RUN + from_row);
            }
            if (B_FIRST != 0u) {
                for (var i = 0u; i < ROWS; i += RUN) { // unrolled
                    column[i / RUN] = run_of_a(l * (A_LINE / RUN) + place(i, DOWN) / RUN + from_column);
                }
            }
            for (var i = 0u; i < ROWS; i++) { // unrolled
                for (var j = 0u; j < COLS; j += RUN) { // unrolled
                    sum[i][j / RUN] = run_mul_add(column[i / RUN][i % RUN], row[j / RUN], sum[i][j / RUN]);
                }
            }
        }
        workgroupBarrier();
    }
    // What is left of the depth: a pack is read where its first element is there.
    if (whole < end) {
        for (var s = 0u; s < A_LOADS; s++) { // unrolled
            let slot = local + s * WORKGROUP;
            let depth = whole + select(slot / (TILE_ROWS / PACK), slot % (DEPTH / PACK) * PACK, A_TURNED != 0u);
            if (slot < A_PACKS && depth < end) {
                keep_a(slot, a[address_a(slot, top, whole)]);
            }
        }
        for (var s = 0u; s < B_LOADS; s++) { // unrolled
            let slot = local + s * WORKGROUP;
            let depth = whole + select(slot / (TILE_COLS / PACK), slot % (DEPTH / PACK) * PACK, B_TURNED != 0u);
            if (slot < B_PACKS && depth < end) {
                keep_b(slot, b[address_b(slot, left, whole)]);
            }
        }
        workgroupBarrier();
        for (var l = 0u; l < end - whole; l++) {
            for (var i = 0u; i < ROWS; i++) { // unrolled
                let factor = run_of_a(l * (A_LINE / RUN) + place(i, DOWN) / RUN + from_column)[i % RUN];
                for (var j = 0u; j < COLS; j += RUN) { // unrolled
                    let other = run_of_b(l * (B_LINE / RUN) + place(j, ACROSS) / RUN + from_row);
                    sum[i][j / RUN] = run_mul_add(factor, other, sum[i][j / RUN]);
                }
            }
        }
    }

    if (is_part) {
        for (var i = 0u; i < ROWS; i++) { // unrolled
            for (var j = 0u; j < COLS; j += PACK) { // unrolled
                var pack: Pack;
                for (var e = 0u; e < PACK; e++) { // unrolled
                    repack(&pack, e, sum[i][(j + e) / RUN][(j + e) % RUN]);
                }
                let row = part * TILE_ROWS + place(i, DOWN) + down * NEAR;
                kept[row * (TILE_COLS / PACK) + place(j, ACROSS) / PACK + across * (NEAR / PACK)] = pack;
            }
        }
        return;
    }
    for (var i = 0u; i < ROWS; i++) { // unrolled
        for (var j = 0u; j < COLS; j++) { // unrolled
            sum[i][j / RUN][j % RUN] = s_mul(params.alpha.value, sum[i][j / RUN][j % RUN]);
        }
    }
    // All of C is asked for before any of it is stored, since a store holds up the loads behind it. What is past the last row
    // or column repeats it.
    if (params.reads_c != 0u) {
        for (var i = 0u; i < ROWS; i++) { // unrolled
            for (var j = 0u; j < COLS; j += PACK) { // unrolled
                let row = min(top + place(i, DOWN) + down * NEAR, params.rows - 1u);
                let pack = min((left + place(j, ACROSS)) / PACK + across * (NEAR / PACK), (params.cols - 1u) / PACK);
                let old = c[params.c_offset + row * params.c_leading + pack];
                for (var e = 0u; e < PACK; e++) { // unrolled
                    let scaled = sum[i][(j + e) / RUN][(j + e) % RUN];
                    sum[i][(j + e) / RUN][(j + e) % RUN] = s_mul_add(params.beta.value, unpack(old, e), scaled);
                }
            }
        }
    }
    for (var i = 0u; i < ROWS; i++) { // unrolled
        let at_row = top + place(i, DOWN) + down * NEAR;
        for (var j = 0u; j < COLS; j += PACK) { // unrolled
            let at_column = left + place(j, ACROSS) + across * NEAR;
            if (at_row < params.rows && at_column < params.cols) {
                let at = params.c_offset + at_row * params.c_leading + at_column / PACK;
                var pack: Pack;
                if (at_column + PACK > params.cols) {
                    pack = c[at];
                }
                for (var e = 0u; e < PACK; e++) { // unrolled
                    if (at_column + e < params.cols) {
                        repack(&pack, e, sum[i][(j + e) / RUN][(j + e) % RUN]);
                    }
                }
                c[at] = pack;
            }
        }
    }
}

// Where the pack of a slot of a panel lies that begins at depth k. Lines past the last repeat it.
fn address_a(slot: u32, top: u32, k: u32) -> u32 {
    if (A_TURNED != 0u) {
        let line = min(top + slot / (DEPTH / PACK), params.rows - 1u);
        return params.a_offset + line * params.a_leading + k / PACK + slot % (DEPTH / PACK);
    }
    let pack = min(top / PACK + slot % (TILE_ROWS / PACK), (params.rows - 1u) / PACK);
    return params.a_offset + (k + slot / (TILE_ROWS / PACK)) * params.a_leading + pack;
}

fn address_b(slot: u32, left: u32, k: u32) -> u32 {
    if (B_TURNED != 0u) {
        let line = min(left + slot / (DEPTH / PACK), params.cols - 1u);
        return params.b_offset + line * params.b_leading + k / PACK + slot % (DEPTH / PACK);
    }
    let pack = min(left / PACK + slot % (TILE_COLS / PACK), (params.cols - 1u) / PACK);
    return params.b_offset + (k + slot / (TILE_COLS / PACK)) * params.b_leading + pack;
}

fn keep_a(slot: u32, pack: Pack) {
    if (A_TURNED != 0u) {
        let line = slot / (DEPTH / PACK);
        let at = slot % (DEPTH / PACK) * (PACK * A_LINE / RUN) + line / RUN;
        for (var e = 0u; e < PACK; e++) { // unrolled
            if (A_RUNS != 0u) {
                a_runs[at + e * (A_LINE / RUN)][line % RUN] = unpack(pack, e);
            } else {
                a_scalars[(at + e * (A_LINE / RUN)) * RUN + line % RUN] = unpack(pack, e);
            }
        }
        return;
    }
    let first = slot % (TILE_ROWS / PACK) * PACK;
    let at = slot / (TILE_ROWS / PACK) * (A_LINE / RUN) + first / RUN;
    for (var e = 0u; e < PACK / RUN; e++) { // unrolled
        a_runs[at + e] = run_of(pack, e * RUN);
    }
    for (var e = 0u; e < PACK - PACK / RUN * RUN; e++) { // unrolled
        if (A_RUNS != 0u) {
            a_runs[at][first % RUN + e] = unpack(pack, e);
        } else {
            a_scalars[at * RUN + first % RUN + e] = unpack(pack, e);
        }
    }
}

fn keep_b(slot: u32, pack: Pack) {
    if (B_TURNED != 0u) {
        let line = slot / (DEPTH / PACK);
        let at = slot % (DEPTH / PACK) * (PACK * B_LINE / RUN) + line / RUN;
        for (var e = 0u; e < PACK; e++) { // unrolled
            if (B_RUNS != 0u) {
                b_runs[at + e * (B_LINE / RUN)][line % RUN] = unpack(pack, e);
            } else {
                b_scalars[(at + e * (B_LINE / RUN)) * RUN + line % RUN] = unpack(pack, e);
            }
        }
        return;
    }
    let first = slot % (TILE_COLS / PACK) * PACK;
    let at = slot / (TILE_COLS / PACK) * (B_LINE / RUN) + first / RUN;
    for (var e = 0u; e < PACK / RUN; e++) { // unrolled
        b_runs[at + e] = run_of(pack, e * RUN);
    }
    for (var e = 0u; e < PACK - PACK / RUN * RUN; e++) { // unrolled
        if (B_RUNS != 0u) {
            b_runs[at][first % RUN + e] = unpack(pack, e);
        } else {
            b_scalars[at * RUN + first % RUN + e] = unpack(pack, e);
        }
    }
}

fn run_of_a(at: u32) -> Run {
    if (A_RUNS != 0u) {
        return a_runs[at];
    }
    var run: Run;
    for (var e = 0u; e < RUN; e++) { // unrolled
        run[e] = a_scalars[at * RUN + e];
    }
    return run;
}

fn run_of_b(at: u32) -> Run {
    if (B_RUNS != 0u) {
        return b_runs[at];
    }
    var run: Run;
    for (var e = 0u; e < RUN; e++) { // unrolled
        run[e] = b_scalars[at * RUN + e];
    }
    return run;
}

// The elements of a pack from `first` on.
fn run_of(pack: Pack, first: u32) -> Run {
    var run: Run;
    for (var e = 0u; e < RUN; e++) { // unrolled
        run[e] = unpack(pack, (first + e) % PACK);
    }
    return run;
}

// Where an invocation's i-th row or column lies in a tile that `invocations` share, past its first.
fn place(i: u32, invocations: u32) -> u32 { return (i / NEAR) * (NEAR * invocations) + i % NEAR; }
