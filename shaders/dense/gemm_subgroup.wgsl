// C <- alpha op(A) op(B) + beta C for adapters that compute on a CPU and have subgroups: as gemm_direct.wgsl, with less to
// load. There a load is a loop over the lanes, by the element somewhat shorter for 16 bytes at once, and as long if all
// lanes want the same. So an invocation loads its own rows of A only, ROWS / WORKGROUP of them, and shuffles hand each
// element to the others, where a workgroup is one full subgroup. A is read in packs along the depth, B and C along the
// columns; what is cut within a pack comes here element by element (PACK = 1). One invocation computes ROWS x COLS elements
// of C, in packs WORKGROUP apart. Order of a sum: its terms one by one. Traffic: A is read n / (WORKGROUP COLS) times, B
// m / ROWS times (from the cache), C written once (read if beta != 0).
@group(0) @binding(1) var<storage, read> a: array<Pack>;
@group(0) @binding(2) var<storage, read> b: array<Pack>;
@group(0) @binding(3) var<storage, read_write> c: array<Pack>;

// Rows of A that an invocation loads, and packs of columns that it computes.
const SHARE: u32 = (ROWS + WORKGROUP - 1u) / WORKGROUP;
const PACKS: u32 = (COLS + PACK - 1u) / PACK;

fn write_c(row: u32, column: u32, sums: array<Scalar, PACK>) {
    let at = params.c_offset + row * params.c_leading + column;
    // One store, whatever beta: those behind a branch that is not taken take their time, too.
    var before: Pack;
    if (params.reads_c != 0u) {
        before = c[at];
    }
    var after: Pack;
    for (var e = 0u; e < PACK; e++) { // unrolled
        var x = s_mul(params.alpha.value, sums[e]);
        if (params.reads_c != 0u) {
            x = s_mul_add(params.beta.value, unpack(before, e), x);
        }
        repack(&after, e, x);
    }
    c[at] = after;
}

@compute @workgroup_size(WORKGROUP)
fn gemm_subgroup(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) within: u32,
) {
    let tile = workgroup_index(id, count);
    let top = (tile / params.tiles_across) * ROWS;
    if (top >= params.rows) {
        return;
    }
    let shares = subgroups == 1u && subgroups_are_full(subgroups, size);
    let lane = select(local, within, shares);
    let left = (tile % params.tiles_across) * (WORKGROUP * PACKS) + lane;
    let across = params.cols / PACK;
    let deep = params.depth / PACK;
    // Rows and packs past the end repeat the last one, and are not written.
    var from_a: array<u32, SHARE>;
    for (var s = 0u; s < SHARE; s++) { // unrolled
        from_a[s] = params.a_offset + min(top + s * WORKGROUP + lane, params.rows - 1u) * params.a_row;
    }
    var from_b: array<u32, PACKS>;
    for (var j = 0u; j < PACKS; j++) { // unrolled
        from_b[j] = params.b_offset + min(left + j * WORKGROUP, across - 1u) * params.b_col;
    }
    var sums: array<array<array<Scalar, PACK>, PACKS>, ROWS>;
    for (var i = 0u; i < ROWS; i++) { // unrolled
        for (var j = 0u; j < PACKS; j++) { // unrolled
            for (var e = 0u; e < PACK; e++) { // unrolled
                sums[i][j][e] = SCALAR_ZERO;
            }
        }
    }
    for (var k = 0u; k < deep; k++) {
        var share: array<Pack, SHARE>;
        for (var s = 0u; s < SHARE; s++) { // unrolled
            share[s] = a[from_a[s] + k * params.a_col];
        }
        var right: array<array<Pack, PACKS>, PACK>;
        for (var d = 0u; d < PACK; d++) { // unrolled
            for (var j = 0u; j < PACKS; j++) { // unrolled
                right[d][j] = b[from_b[j] + (k * PACK + d) * params.b_row];
            }
        }
        for (var i = 0u; i < ROWS; i++) { // unrolled
            var factor: array<Scalar, PACK>;
            for (var d = 0u; d < PACK; d++) { // unrolled
                factor[d] = s_shuffle(unpack(share[i / WORKGROUP], d), i % WORKGROUP);
            }
            // A sum's terms in a row: it is fetched once.
            for (var j = 0u; j < PACKS; j++) { // unrolled
                for (var e = 0u; e < PACK; e++) { // unrolled
                    for (var d = 0u; d < PACK; d++) { // unrolled
                        sums[i][j][e] = s_mul_add(factor[d], unpack(right[d][j], e), sums[i][j][e]);
                    }
                }
            }
        }
    }
    for (var i = 0u; i < ROWS; i++) { // unrolled
        for (var j = 0u; j < PACKS; j++) { // unrolled
            if (shares && top + i < params.rows && left + j * WORKGROUP < across) {
                write_c(top + i, left + j * WORKGROUP, sums[i][j]);
            }
        }
    }
    // WGSL promises no full subgroups. Without, sum by sum, in the same order.
    for (var at = 0u; !shares && at < ROWS * PACKS; at++) {
        let row = top + at / PACKS;
        let column = left + (at % PACKS) * WORKGROUP;
        if (row < params.rows && column < across) {
            var alone: array<Scalar, PACK>;
            for (var e = 0u; e < PACK; e++) { // unrolled
                alone[e] = SCALAR_ZERO;
            }
            for (var k = 0u; k < deep; k++) {
                let x = a[params.a_offset + row * params.a_row + k * params.a_col];
                for (var d = 0u; d < PACK; d++) { // unrolled
                    let y = b[params.b_offset + column * params.b_col + (k * PACK + d) * params.b_row];
                    for (var e = 0u; e < PACK; e++) { // unrolled
                        alone[e] = s_mul_add(unpack(x, d), unpack(y, e), alone[e]);
                    }
                }
            }
            write_c(row, column, alone);
        }
    }
}
