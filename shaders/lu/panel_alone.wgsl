// P A = L U of a panel with partial pivoting: `width` columns and `height` rows from (`first`, `first`) on, in one dispatch of one
// workgroup, for drivers that compute on the CPU: there a dispatch takes as long as a column of a thousand rows, and a load its
// time, however little it loads. The panel lies by rows in `panel` meanwhile, where caches hold it; an invocation has every
// WORKGROUP-th row. Columns are eliminated in groups of GROUP: one by one within the group, and then all of a group from the
// columns behind it, whose rows of U every invocation substitutes for itself. Each element meets the same operations in the
// same order as by columns. The pivot's row is exchanged at once; where each row was at first goes to `origins`.
// Traffic: A is read and written once; of the panel, GROUP columns are read and written in each column, and what is behind
// them once a group. Turns of loops: (height / WORKGROUP) (WIDTH + WIDTH / GROUP + 1), which lavapipe counts.
struct Params {
    first: u32,
    height: u32,
    leading: u32,
    width: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Pack>;
@group(0) @binding(2) var<storage, read_write> panel: array<Pack>;
@group(0) @binding(3) var<storage, read_write> origins: array<u32>;
@group(0) @binding(4) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(5) var<storage, read_write> status: array<u32>;

// Packs of a row, and of a group in it.
const LINE: u32 = WIDTH / PACK;
const PACKS: u32 = GROUP / PACK;

fn exchange(local: u32, c: u32, pivot: u32) {
    for (var p = local; p < LINE; p += WORKGROUP) {
        let above = panel[c * LINE + p];
        panel[c * LINE + p] = panel[pivot * LINE + p];
        panel[pivot * LINE + p] = above;
    }
    if (local == 0u) {
        let above = origins[c];
        origins[c] = origins[pivot];
        origins[pivot] = above;
    }
}

fn of_group(row: u32, group: u32) -> array<Scalar, GROUP> {
    var x: array<Scalar, GROUP>;
    for (var p = 0u; p < PACKS; p++) { // unrolled
        let pack = panel[row * LINE + group * PACKS + p];
        for (var e = 0u; e < PACK; e++) { // unrolled
            x[p * PACK + e] = unpack(pack, e);
        }
    }
    return x;
}

// By a choice among all: what is indexed by a variable would lie in memory. Past the end, the first.
fn chosen(x: array<Scalar, GROUP>, at: u32) -> Scalar {
    var found = x[0];
    for (var k = 1u; k < GROUP; k++) { // unrolled
        if (k == at) {
            found = x[k];
        }
    }
    return found;
}

@compute @workgroup_size(WORKGROUP)
fn panel_alone(@builtin(local_invocation_index) local: u32) {
    let leading = params.leading / PACK;
    let corner = params.first * leading + params.first / PACK;
    let packs = params.width / PACK;
    var candidate = sum_zero();
    for (var row = local; row < params.height; row += WORKGROUP) {
        origins[row] = row;
        for (var p = 0u; p < LINE; p++) { // unrolled
            if (p < packs) {
                let pack = a[corner + row * leading + p];
                panel[row * LINE + p] = pack;
                if (p == 0u) {
                    candidate = accumulate(candidate, unpack(pack, 0u), unpack(pack, 0u), row);
                }
            }
        }
    }
    for (var g = 0u; g < WIDTH / GROUP; g++) { // unrolled
        var singular: array<bool, GROUP>;
        for (var e = 0u; e < GROUP && g * GROUP + e < params.width; e++) {
            let c = g * GROUP + e;
            storageBarrier();
            let pivot = workgroup_combine(local, candidate).index;
            exchange(local, c, pivot);
            storageBarrier();
            workgroupBarrier();
            let of_pivot = of_group(c, g);
            let by = divisor(chosen(of_pivot, e));
            let is_singular = is_zero(by.pivot);
            for (var d = 0u; d < GROUP; d++) { // unrolled
                if (d == e) {
                    singular[d] = is_singular;
                }
            }
            if (local == 0u) {
                pivots[params.first + c] = params.first + pivot;
                if (is_singular && status[0] == 0u) {
                    status[0] = params.first + c + 1u;
                }
            }
            candidate = sum_zero();
            for (var row = c + 1u + local; row < params.height; row += WORKGROUP) {
                var x = of_group(row, g);
                let factor = divided(chosen(x, e), by);
                let negative = s_neg(factor);
                for (var p = 0u; p < PACKS; p++) { // unrolled
                    var pack: Pack;
                    for (var i = 0u; i < PACK; i++) { // unrolled
                        if (p * PACK + i == e) {
                            x[p * PACK + i] = factor;
                        } else if (p * PACK + i > e && !is_singular) {
                            x[p * PACK + i] = s_mul_add(negative, of_pivot[p * PACK + i], x[p * PACK + i]);
                        }
                        repack(&pack, i, x[p * PACK + i]);
                    }
                    panel[row * LINE + g * PACKS + p] = pack;
                }
                let next = chosen(x, e + 1u);
                candidate = accumulate(candidate, next, next, row);
            }
        }
        candidate = sum_zero();
        // Where nothing is behind the group, nothing is left to do.
        let end = select(0u, params.height, (g + 1u) * GROUP < params.width);
        storageBarrier();
        workgroupBarrier();
        var lower: array<array<Scalar, GROUP>, GROUP>;
        var upper: array<array<Scalar, WIDTH>, GROUP>;
        for (var d = 0u; d < GROUP; d++) { // unrolled
            if (g * GROUP + d < end) {
                lower[d] = of_group(g * GROUP + d, g);
                for (var p = (g + 1u) * PACKS; p < LINE; p++) { // unrolled
                    let pack = panel[(g * GROUP + d) * LINE + p];
                    for (var i = 0u; i < PACK; i++) { // unrolled
                        upper[d][p * PACK + i] = unpack(pack, i);
                    }
                }
            }
        }
        for (var d = 1u; d < GROUP; d++) { // unrolled
            for (var t = 0u; t < d; t++) { // unrolled
                let negative = s_neg(lower[d][t]);
                for (var k = (g + 1u) * GROUP; k < WIDTH; k++) { // unrolled
                    if (!singular[t]) {
                        upper[d][k] = s_mul_add(negative, upper[t][k], upper[d][k]);
                    }
                }
            }
        }
        // All have read.
        storageBarrier();
        workgroupBarrier();
        for (var d = 1u; d < GROUP; d++) { // unrolled
            for (var p = (g + 1u) * PACKS; p < LINE; p++) { // unrolled
                if (local == 0u && g * GROUP + d < end) {
                    var pack: Pack;
                    for (var i = 0u; i < PACK; i++) { // unrolled
                        repack(&pack, i, upper[d][p * PACK + i]);
                    }
                    panel[(g * GROUP + d) * LINE + p] = pack;
                }
            }
        }
        for (var row = (g + 1u) * GROUP + local; row < end; row += WORKGROUP) {
            let factors = of_group(row, g);
            for (var p = (g + 1u) * PACKS; p < LINE; p++) { // unrolled
                var pack = panel[row * LINE + p];
                for (var i = 0u; i < PACK; i++) { // unrolled
                    var x = unpack(pack, i);
                    for (var d = 0u; d < GROUP; d++) { // unrolled
                        if (!singular[d]) {
                            x = s_mul_add(s_neg(factors[d]), upper[d][p * PACK + i], x);
                        }
                    }
                    repack(&pack, i, x);
                    if (p * PACK + i == (g + 1u) * GROUP) {
                        candidate = accumulate(candidate, x, x, row);
                    }
                }
                panel[row * LINE + p] = pack;
            }
        }
    }
    storageBarrier();
    workgroupBarrier();
    for (var row = local; row < params.height; row += WORKGROUP) {
        for (var p = 0u; p < LINE; p++) { // unrolled
            if (p < packs) {
                a[corner + row * leading + p] = panel[row * LINE + p];
            }
        }
    }
}
