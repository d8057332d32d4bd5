// P A = L U of a panel with partial pivoting: `width` columns and `height` rows from (`first`, `first`) on, in one dispatch of one
// workgroup, for drivers that compute on the CPU: there a dispatch takes as long as a column of a thousand rows, and a load its
// time, however little it loads. The panel lies by rows in `panel` meanwhile, where caches hold it; an invocation has every
// WORKGROUP-th row. Columns are eliminated in groups of GROUP: one by one within the group, and then all of a group from those
// behind it, a group at a time, whose rows of U every invocation substitutes for itself. Each element meets the same operations
// in the same order as by columns. The pivot's row is exchanged at once; where each row was at first goes to `origins`.
// Traffic: A is read and written once; of the panel, a group is read and written in each of its columns, and two are read and one
// written for each pair of groups. Turns of loops, which lavapipe counts: see src/lu/panel_alone.rs.
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

fn of_group(row: u32, group: u32) -> array<Scalar, GROUP> {
    var x: array<Scalar, GROUP>;
    for (var p = 0u; p < PACKS; p++) { // unrolled
        let pack = panel[row * LINE + group * PACKS + p];
        for (var i = 0u; i < PACK; i++) { // unrolled
            x[p * PACK + i] = unpack(pack, i);
        }
    }
    return x;
}

fn put(row: u32, group: u32, x: array<Scalar, GROUP>) {
    for (var p = 0u; p < PACKS; p++) { // unrolled
        var pack: Pack;
        for (var i = 0u; i < PACK; i++) { // unrolled
            repack(&pack, i, x[p * PACK + i]);
        }
        panel[row * LINE + group * PACKS + p] = pack;
    }
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

// Takes the panel from `a`; returns the largest of its first column.
fn fetch(local: u32) -> Sum {
    let leading = params.leading / PACK;
    let corner = params.first * leading + params.first / PACK;
    var candidate = sum_zero();
    for (var row = local; row < params.height; row += WORKGROUP) {
        origins[row] = row;
        for (var p = 0u; p < LINE; p++) { // unrolled
            if (p < params.width / PACK) {
                panel[row * LINE + p] = a[corner + row * leading + p];
            }
        }
        let entry = unpack(a[corner + row * leading], 0u);
        candidate = accumulate(candidate, entry, entry, row);
    }
    return candidate;
}

fn give_back(local: u32) {
    let leading = params.leading / PACK;
    let corner = params.first * leading + params.first / PACK;
    for (var row = local; row < params.height; row += WORKGROUP) {
        for (var p = 0u; p < LINE; p++) { // unrolled
            if (p < params.width / PACK) {
                a[corner + row * leading + p] = panel[row * LINE + p];
            }
        }
    }
}

fn exchange(c: u32, pivot: u32, local: u32) {
    for (var p = local; p < LINE; p += WORKGROUP) {
        let above = panel[c * LINE + p];
        panel[c * LINE + p] = panel[pivot * LINE + p];
        panel[pivot * LINE + p] = above;
    }
    if (local == 0u) {
        let above = origins[c];
        origins[c] = origins[pivot];
        origins[pivot] = above;
        pivots[params.first + c] = params.first + pivot;
    }
}

// Eliminates with column `e` of a group in the group; returns the largest of the next.
fn eliminate(group: u32, e: u32, of_pivot: array<Scalar, GROUP>, by: Divisor, local: u32) -> Sum {
    let singular = is_zero(by.pivot);
    var candidate = sum_zero();
    for (var row = group * GROUP + e + 1u + local; row < params.height; row += WORKGROUP) {
        var x = of_group(row, group);
        let factor = divided(chosen(x, e), by);
        let negative = s_neg(factor);
        for (var k = 0u; k < GROUP; k++) { // unrolled
            if (k == e) {
                x[k] = factor;
            } else if (k > e && !singular) {
                x[k] = s_mul_add(negative, of_pivot[k], x[k]);
            }
        }
        put(row, group, x);
        let next = chosen(x, e + 1u);
        candidate = accumulate(candidate, next, next, row);
    }
    return candidate;
}

// Eliminates with all columns of a group in one behind it; returns the largest of its first column.
fn eliminate_behind(group: u32, behind: u32, singular: array<bool, GROUP>, local: u32) -> Sum {
    let top = group * GROUP;
    var upper: array<array<Scalar, GROUP>, GROUP>;
    for (var d = 0u; d < GROUP; d++) { // unrolled
        let lower = of_group(top + d, group);
        upper[d] = of_group(top + d, behind);
        for (var t = 0u; t < d; t++) { // unrolled
            for (var k = 0u; k < GROUP; k++) { // unrolled
                if (!singular[t]) {
                    upper[d][k] = s_mul_add(s_neg(lower[t]), upper[t][k], upper[d][k]);
                }
            }
        }
    }
    // All have read.
    storageBarrier();
    workgroupBarrier();
    for (var d = 1u; d < GROUP; d++) { // unrolled
        if (local == 0u) {
            put(top + d, behind, upper[d]);
        }
    }
    var candidate = sum_zero();
    for (var row = top + GROUP + local; row < params.height; row += WORKGROUP) {
        let factors = of_group(row, group);
        var x = of_group(row, behind);
        for (var d = 0u; d < GROUP; d++) { // unrolled
            for (var k = 0u; k < GROUP; k++) { // unrolled
                if (!singular[d]) {
                    x[k] = s_mul_add(s_neg(factors[d]), upper[d][k], x[k]);
                }
            }
        }
        put(row, behind, x);
        candidate = accumulate(candidate, x[0], x[0], row);
    }
    return candidate;
}

@compute @workgroup_size(WORKGROUP)
fn panel_alone(@builtin(local_invocation_index) local: u32) {
    var candidate = fetch(local);
    for (var top = 0u; top < params.width; top += GROUP) {
        let group = top / GROUP;
        var singular: array<bool, GROUP>;
        for (var e = 0u; e < GROUP && top + e < params.width; e++) {
            storageBarrier();
            let pivot = workgroup_combine(local, candidate).index;
            exchange(top + e, pivot, local);
            storageBarrier();
            workgroupBarrier();
            let of_pivot = of_group(top + e, group);
            let by = divisor(chosen(of_pivot, e));
            for (var d = 0u; d < GROUP; d++) { // unrolled
                if (d == e) {
                    singular[d] = is_zero(by.pivot);
                }
            }
            if (local == 0u && is_zero(by.pivot) && status[0] == 0u) {
                status[0] = params.first + top + e + 1u;
            }
            candidate = eliminate(group, e, of_pivot, by, local);
        }
        storageBarrier();
        workgroupBarrier();
        for (var behind = group + 1u; behind * GROUP < params.width; behind++) {
            let largest = eliminate_behind(group, behind, singular, local);
            if (behind == group + 1u) {
                candidate = largest;
            }
        }
    }
    storageBarrier();
    workgroupBarrier();
    give_back(local);
}
