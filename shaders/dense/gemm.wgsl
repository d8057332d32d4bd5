// C <- alpha op(A) op(B) + beta C. A workgroup computes TILE_ROWS x TILE_COLS of C, an invocation ROWS x COLS of that in
// registers. Panels of op(A) and op(B), DEPTH deep, pass through workgroup memory, where both lie by depth; two of each, so
// that one is multiplied while the next is on its way, and the next one's first fragments are read before the last of this
// one are used. One barrier a panel. An operand that lies along the depth is turned on its way.
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
    tiles: u32,
    splits: u32,
    chunk: u32,
    split_stride: u32,
    reads_c: u32,
    @align(16) alpha: Parameter,
    @align(16) beta: Parameter,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Pack>;
@group(0) @binding(2) var<storage, read> b: array<Pack>;
@group(0) @binding(3) var<storage, read_write> c: array<Pack>;

// An invocation's rows are runs of RUN neighbours, a run of every invocation apart; its columns likewise. A run of f32 is
// what a GPU reads from workgroup memory at once.
const RUN: u32 = 4u;
const DOWN: u32 = TILE_ROWS / ROWS;
const ACROSS: u32 = TILE_COLS / COLS;
const WORKGROUP: u32 = DOWN * ACROSS;

// Lines of a panel; one that is turned is written down its columns, where 4 more keep neighbours in different banks.
const A_LINE: u32 = TILE_ROWS + 4u * A_TURNED;
const B_LINE: u32 = TILE_COLS + 4u * B_TURNED;
const A_PACKS: u32 = TILE_ROWS * DEPTH / PACK;
const B_PACKS: u32 = TILE_COLS * DEPTH / PACK;
const A_LOADS: u32 = (A_PACKS + WORKGROUP - 1u) / WORKGROUP;
const B_LOADS: u32 = (B_PACKS + WORKGROUP - 1u) / WORKGROUP;

var<workgroup> a_panels: array<Scalar, 2u * DEPTH * A_LINE>;
var<workgroup> b_panels: array<Scalar, 2u * DEPTH * B_LINE>;

@compute @workgroup_size(WORKGROUP)
fn gemm(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = workgroup_index(id, count);
    let split = index / params.tiles;
    if (split >= params.splits) {
        return;
    }
    let tile = index % params.tiles;
    let top = (tile / params.tiles_across) * TILE_ROWS;
    let left = (tile % params.tiles_across) * TILE_COLS;
    let begin = split * params.chunk;
    let end = min(params.depth, begin + params.chunk);
    let down = (local / ACROSS) * RUN;
    let across = (local % ACROSS) * RUN;

    var sum: array<array<Scalar, COLS>, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        for (var j = 0u; j < COLS; j++) { // unrolled
            sum[i][j] = SCALAR_ZERO;
        }
    }
    var next_a: array<Pack, A_LOADS>;
    var next_b: array<Pack, B_LOADS>;
    for (var s = 0u; s < A_LOADS; s++) { // unrolled
        next_a[s] = from_a(local + s * WORKGROUP, top, begin, end);
    }
    for (var s = 0u; s < B_LOADS; s++) { // unrolled
        next_b[s] = from_b(local + s * WORKGROUP, left, begin, end);
    }
    for (var s = 0u; s < A_LOADS; s++) { // unrolled
        keep_a(0u, local + s * WORKGROUP, next_a[s]);
    }
    for (var s = 0u; s < B_LOADS; s++) { // unrolled
        keep_b(0u, local + s * WORKGROUP, next_b[s]);
    }
    workgroupBarrier();
    // Fragments: what is multiplied now, and what will be next.
    var column: array<array<Scalar, ROWS>, 2>;
    var row: array<array<Scalar, COLS>, 2>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        column[0][i] = a_panels[(i / RUN) * (RUN * DOWN) + down + i % RUN];
    }
    for (var j = 0u; j < COLS; j++) { // unrolled
        row[0][j] = b_panels[(j / RUN) * (RUN * ACROSS) + across + j % RUN];
    }

    for (var k = begin; k < end; k += 2u * DEPTH) {
        for (var panel = 0u; panel < 2u; panel++) { // unrolled
            for (var l = 0u; l < DEPTH; l++) { // unrolled
                if (l == DEPTH - 1u) {
                    for (var s = 0u; s < A_LOADS; s++) { // unrolled
                        keep_a(1u - panel, local + s * WORKGROUP, next_a[s]);
                    }
                    for (var s = 0u; s < B_LOADS; s++) { // unrolled
                        keep_b(1u - panel, local + s * WORKGROUP, next_b[s]);
                    }
                    workgroupBarrier();
                }
                let ahead = (panel * DEPTH + l + 1u) % (2u * DEPTH);
                for (var i = 0u; i < ROWS; i++) { // unrolled
                    column[(l + 1u) % 2u][i] = a_panels[ahead * A_LINE + (i / RUN) * (RUN * DOWN) + down + i % RUN];
                }
                for (var j = 0u; j < COLS; j++) { // unrolled
                    row[(l + 1u) % 2u][j] = b_panels[ahead * B_LINE + (j / RUN) * (RUN * ACROSS) + across + j % RUN];
                }
                if (l == 0u) {
                    for (var s = 0u; s < A_LOADS; s++) { // unrolled
                        next_a[s] = from_a(local + s * WORKGROUP, top, k + (panel + 1u) * DEPTH, end);
                    }
                    for (var s = 0u; s < B_LOADS; s++) { // unrolled
                        next_b[s] = from_b(local + s * WORKGROUP, left, k + (panel + 1u) * DEPTH, end);
                    }
                }
                for (var i = 0u; i < ROWS; i++) { // unrolled
                    for (var j = 0u; j < COLS; j++) { // unrolled
                        sum[i][j] = s_mul_add(column[l % 2u][i], row[l % 2u][j], sum[i][j]);
                    }
                }
            }
        }
    }

    let target_c = params.c_offset + split * params.split_stride;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        let at_row = top + (i / RUN) * (RUN * DOWN) + down + i % RUN;
        for (var j = 0u; j < COLS; j += PACK) { // unrolled
            let at_column = left + (j / RUN) * (RUN * ACROSS) + across + j % RUN;
            if (at_row < params.rows && at_column < params.cols) {
                let at = target_c + at_row * params.c_leading + at_column / PACK;
                var pack: Pack;
                if (params.reads_c != 0u || at_column + PACK > params.cols) {
                    pack = c[at];
                }
                for (var e = 0u; e < PACK; e++) { // unrolled
                    if (at_column + e < params.cols) {
                        var value = s_mul(params.alpha.value, sum[i][j + e]);
                        if (params.reads_c != 0u) {
                            value = s_mul_add(params.beta.value, unpack(pack, e), value);
                        }
                        repack(&pack, e, value);
                    }
                }
                c[at] = pack;
            }
        }
    }
}

// The pack of a panel of op(A) that begins at depth k: zeros from `end` on; rows past the last repeat it.
fn from_a(slot: u32, top: u32, k: u32, end: u32) -> Pack {
    if (A_TURNED != 0u) {
        let line = min(top + slot / (DEPTH / PACK), params.rows - 1u);
        let depth = k + (slot % (DEPTH / PACK)) * PACK;
        if (depth >= end) {
            return Pack();
        }
        return before(a[params.a_offset + line * params.a_leading + depth / PACK], depth, end);
    }
    let depth = k + slot / (TILE_ROWS / PACK);
    if (depth >= end) {
        return Pack();
    }
    let place = min(top / PACK + slot % (TILE_ROWS / PACK), (params.rows - 1u) / PACK);
    return a[params.a_offset + depth * params.a_leading + place];
}

// The pack of a panel of op(B), as from_a.
fn from_b(slot: u32, left: u32, k: u32, end: u32) -> Pack {
    if (B_TURNED != 0u) {
        let line = min(left + slot / (DEPTH / PACK), params.cols - 1u);
        let depth = k + (slot % (DEPTH / PACK)) * PACK;
        if (depth >= end) {
            return Pack();
        }
        return before(b[params.b_offset + line * params.b_leading + depth / PACK], depth, end);
    }
    let depth = k + slot / (TILE_COLS / PACK);
    if (depth >= end) {
        return Pack();
    }
    let place = min(left / PACK + slot % (TILE_COLS / PACK), (params.cols - 1u) / PACK);
    return b[params.b_offset + depth * params.b_leading + place];
}

// A pack along the depth without what lies at `end` and past it, which belongs to others.
fn before(pack: Pack, depth: u32, end: u32) -> Pack {
    if (depth + PACK <= end) {
        return pack;
    }
    var kept = pack;
    for (var e = 0u; e < PACK; e++) { // unrolled
        if (depth + e >= end) {
            repack(&kept, e, SCALAR_ZERO);
        }
    }
    return kept;
}

fn keep_a(panel: u32, slot: u32, pack: Pack) {
    if (A_PACKS % WORKGROUP == 0u || slot < A_PACKS) {
        for (var e = 0u; e < PACK; e++) { // unrolled
            if (A_TURNED != 0u) {
                let depth = panel * DEPTH + (slot % (DEPTH / PACK)) * PACK + e;
                a_panels[depth * A_LINE + slot / (DEPTH / PACK)] = unpack(pack, e);
            } else {
                let depth = panel * DEPTH + slot / (TILE_ROWS / PACK);
                a_panels[depth * A_LINE + (slot % (TILE_ROWS / PACK)) * PACK + e] = unpack(pack, e);
            }
        }
    }
}

fn keep_b(panel: u32, slot: u32, pack: Pack) {
    if (B_PACKS % WORKGROUP == 0u || slot < B_PACKS) {
        for (var e = 0u; e < PACK; e++) { // unrolled
            if (B_TURNED != 0u) {
                let depth = panel * DEPTH + (slot % (DEPTH / PACK)) * PACK + e;
                b_panels[depth * B_LINE + slot / (DEPTH / PACK)] = unpack(pack, e);
            } else {
                let depth = panel * DEPTH + slot / (TILE_COLS / PACK);
                b_panels[depth * B_LINE + (slot % (TILE_COLS / PACK)) * PACK + e] = unpack(pack, e);
            }
        }
    }
}
