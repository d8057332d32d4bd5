// P A = L U of a panel: `width` columns from `first` on, all rows from `first` on, partial pivoting. One workgroup walks
// the columns; an invocation holds every WORKGROUP-th row. Traffic: column c reads and writes (rows - c) (width - c)
// elements. Pivot rows go to pivots, the first column without a non-zero pivot, plus one, to status.
struct Params {
    rows: u32,
    first: u32,
    width: u32,
    leading: u32,
    // 0: pivots as they come; 1: the largest; 2: as they come, and the exchanges are noted already.
    search: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(3) var<storage, read_write> status: array<u32>;

var<workgroup> pivot_row: array<Scalar, PANEL>;

@compute @workgroup_size(WORKGROUP)
fn panel(@builtin(local_invocation_index) local: u32) {
    let corner = params.first * params.leading + params.first;
    let height = params.rows - params.first;
    for (var c = 0u; c < params.width; c++) {
        // The pivot: the largest of what is left of column c (dense/iamax.wgsl).
        var candidate = sum_zero();
        let end = select(c + 1u, height, params.search == 1u);
        for (var r = c + local; r < end; r += WORKGROUP) {
            let entry = load(a[corner + r * params.leading + c]);
            candidate = accumulate(candidate, entry, entry, r);
        }
        let pivot = workgroup_combine(local, candidate).index;
        if (local == 0u && params.search != 2u) {
            pivots[params.first + c] = params.first + pivot;
        }
        // Exchange its row with row c, inside the panel, and keep it at hand.
        for (var j = local; j < params.width; j += WORKGROUP) {
            let here = corner + c * params.leading + j;
            let there = corner + pivot * params.leading + j;
            let found = a[there];
            a[there] = a[here];
            a[here] = found;
            pivot_row[j] = load(found);
        }
        storageBarrier();
        workgroupBarrier();
        let divisor = pivot_row[c];
        let singular = !s_less(divisor, SCALAR_ZERO) && !s_less(SCALAR_ZERO, divisor) && !s_is_nan(divisor);
        if (singular) {
            if (local == 0u && status[0] == 0u) {
                status[0] = params.first + c + 1u;
            }
        } else {
            for (var r = c + 1u + local; r < height; r += WORKGROUP) {
                let row = corner + r * params.leading;
                let factor = s_div(load(a[row + c]), divisor);
                a[row + c] = store(factor);
                let negative = s_neg(factor);
                for (var j = c + 1u; j < params.width; j++) {
                    a[row + j] = store(s_mul_add(negative, pivot_row[j], load(a[row + j])));
                }
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
}
