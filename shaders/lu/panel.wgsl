// P A = L U of a panel with partial pivoting: `width` columns and `height` rows from (`first`, `first`) on, one dispatch a
// column. In dispatch `step` > 0, each workgroup finds the pivot of column step - 1 among the candidates that the one before
// has left, eliminates with it in its rows, and leaves its candidate for the next column. All read the pivot's row, which
// is exchanged meanwhile, so panels take turns (ping-pong, as in Matsui, Ino and Hagihara 2005). Dispatch 0 fetches the
// panel from `a`. A row of U goes back to `a` as soon as it is known; a column of L stays, by the rows that its elements were
// in at first, in the panel that is written when it is made, where that column is read no more, until the last dispatch
// returns all of L in its order. A workgroup has ROWS rows, an invocation one of WORKGROUP. Panels lie by columns, so that
// neighbours touch neighbours. Loops over columns are written out, and an invocation asks for its first row before it waits
// for anything; or, for drivers that go through every branch, taken or not, they are loops over the columns that are left
// (ROLLED). Traffic: dispatch `step` reads height * (width - step + 1) elements and writes as many less one, which caches
// hold.
struct Params {
    first: u32,
    height: u32,
    leading: u32,
    width: u32,
    step: u32,
    // Workgroups, and so candidates.
    groups: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> a: array<Element>;
@group(0) @binding(2) var<storage, read_write> panels: array<Element>;
// Which row of the panel each was at first, twice; then the candidates, twice. Their magnitudes are behind the panels.
@group(0) @binding(3) var<storage, read_write> origins: array<u32>;
@group(0) @binding(4) var<storage, read_write> pivots: array<u32>;
@group(0) @binding(5) var<storage, read_write> status: array<u32>;

var<workgroup> pivot_row: array<Scalar, WIDTH>;

fn element(turn: u32, row: u32, column: u32) -> u32 { return (turn * WIDTH + column) * params.height + row; }
fn candidates(turn: u32) -> u32 { return 2u * params.height + turn * params.groups; }
fn magnitudes(turn: u32) -> u32 { return 2u * WIDTH * params.height + turn * params.groups; }

fn eliminated(x: Scalar, negative: Scalar, of_pivot: Scalar, singular: bool) -> Scalar {
    if (singular) {
        return x;
    }
    return s_mul_add(negative, of_pivot, x);
}

@compute @workgroup_size(WORKGROUP)
fn panel(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = workgroup_index(id, count);
    if (group >= params.groups) {
        return;
    }
    let end = min(params.height, (group + 1u) * ROWS);
    let corner = params.first * params.leading + params.first;
    // The panel that is written in this dispatch.
    let turn = params.step % 2u;
    var candidate = sum_zero();
    if (params.step == 0u) {
        for (var row = group * ROWS + local; row < end; row += WORKGROUP) {
            origins[row] = row;
            for (var k = 0u; k < WIDTH; k++) { // unrolled
                if (k < params.width) {
                    panels[element(0u, row, k)] = a[corner + row * params.leading + k];
                }
            }
            let entry = load(a[corner + row * params.leading]);
            candidate = accumulate(candidate, entry, entry, row);
        }
    } else {
        let before = 1u - turn;
        let c = params.step - 1u;
        // A row from column c on, where loops are written out: what is stored would stand between its loads.
        var ahead: array<Scalar, WIDTH>;
        var ahead_factor = SCALAR_ZERO;
        var ahead_origin = 0u;
        let ahead_row = group * ROWS + local;
        if (ROLLED == 0u && ahead_row < end) {
            ahead_origin = origins[before * params.height + ahead_row];
            ahead_factor = load(panels[element(before, ahead_row, c)]);
            for (var k = 1u; k < WIDTH; k++) { // unrolled
                if (c < k && k < params.width) {
                    ahead[k] = load(panels[element(before, ahead_row, k)]);
                }
            }
        }
        var best = sum_zero();
        for (var g = local; g < params.groups; g += WORKGROUP) {
            let magnitude = load(panels[magnitudes(before) + g]);
            best = combine(best, Sum(magnitude, origins[candidates(before) + g]));
        }
        let pivot = workgroup_combine(local, best).index;
        for (var k = local; k < params.width; k += WORKGROUP) {
            pivot_row[k] = load(panels[element(before, pivot, k)]);
        }
        workgroupBarrier();
        let by = divisor(pivot_row[c]);
        let singular = is_zero(by.pivot);
        if (group == 0u && local == 0u) {
            pivots[params.first + c] = params.first + pivot;
            if (singular && status[0] == 0u) {
                status[0] = params.first + c + 1u;
            }
        }
        for (var row = group * ROWS + local; row < end; row += WORKGROUP) {
            var source = row;
            if (row == c) {
                source = pivot;
            } else if (row == pivot) {
                source = c;
            }
            if (ROLLED != 0u || row != ahead_row || source != row) {
                ahead_origin = origins[before * params.height + source];
                ahead_factor = load(panels[element(before, source, c)]);
                if (ROLLED == 0u) {
                    for (var k = 1u; k < WIDTH; k++) { // unrolled
                        if (c < k && k < params.width) {
                            ahead[k] = load(panels[element(before, source, k)]);
                        }
                    }
                }
            }
            let origin = ahead_origin;
            origins[turn * params.height + row] = origin;
            if (row == c) {
                if (ROLLED != 0u) {
                    for (var k = c; k < params.width; k++) {
                        a[corner + row * params.leading + k] = store(pivot_row[k]);
                    }
                } else {
                    for (var k = 0u; k < WIDTH; k++) { // unrolled
                        if (c <= k && k < params.width) {
                            a[corner + row * params.leading + k] = store(pivot_row[k]);
                        }
                    }
                }
            } else if (row > c) {
                let factor = divided(ahead_factor, by);
                panels[element(turn, origin, c)] = store(factor);
                let negative = s_neg(factor);
                if (ROLLED != 0u) {
                    for (var k = params.step; k < params.width; k++) {
                        let old = load(panels[element(before, source, k)]);
                        let x = eliminated(old, negative, pivot_row[k], singular);
                        panels[element(turn, row, k)] = store(x);
                        if (k == params.step) {
                            candidate = accumulate(candidate, x, x, row);
                        }
                    }
                } else {
                    for (var k = 1u; k < WIDTH; k++) { // unrolled
                        if (c < k && k < params.width) {
                            let x = eliminated(ahead[k], negative, pivot_row[k], singular);
                            panels[element(turn, row, k)] = store(x);
                            if (k == params.step) {
                                candidate = accumulate(candidate, x, x, row);
                            }
                        }
                    }
                }
            }
            if (params.step == params.width) {
                // Its own columns of L, the last of which this invocation has just written.
                if (ROLLED != 0u) {
                    for (var k = 0u; k < min(params.width, row); k++) {
                        a[corner + row * params.leading + k] = panels[element((k + 1u) % 2u, origin, k)];
                    }
                } else {
                    for (var k = 0u; k < WIDTH; k++) { // unrolled
                        if (k < params.width && row > k) {
                            a[corner + row * params.leading + k] = panels[element((k + 1u) % 2u, origin, k)];
                        }
                    }
                }
            }
        }
        // The combination above has been read by all.
        workgroupBarrier();
    }
    let nominated = workgroup_combine(local, candidate).index;
    if (local == 0u) {
        origins[candidates(turn) + group] = nominated;
        panels[magnitudes(turn) + group] = store(sums[0].magnitude);
    }
}

