// Packed CSR, a row shared by `lanes` invocations: each goes through all descriptors of the row, which the nearest cache holds once
// the first has read them, and stops at every `lanes`-th entry, so that neighbours read neighbouring values. Pointers as in
// packed/csr.wgsl. UNROLL entries are on their way at once, the last ones too: past the end, the last one is loaded once
// more, and not added.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<vec2<u32>>;

fn row_part(row: u32, lane: u32, lanes: u32) -> Scalar {
    let begin = pointers[row];
    let end = pointers[row + 1u];
    var walk = walk_from(begin.x, end.x, 1u);
    skip_entries(&walk, lane);
    var column = 0u;
    var sum = SCALAR_ZERO;
    for (var k = begin.y + lane; k < end.y; k += UNROLL * lanes) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            let next = next_column(&walk, 1u);
            column = select(next, column, next == PADDING);
            skip_entries(&walk, lanes - 1u);
            value[e] = values[min(k + e * lanes, end.y - 1u)];
            factor[e] = x_of(column);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            if (k + e * lanes < end.y) {
                sum = s_mul_add(load(value[e]), load(factor[e]), sum);
            }
        }
    }
    return sum;
}

// Leaves out so many entries, or all there are.
fn skip_entries(walk: ptr<function, Walk>, count: u32) {
    var more = count;
    while ((*walk).left < more && (*walk).ahead != NO_RUN) {
        more -= (*walk).left + 1u;
        (*walk).left = 0u;
        next_column(walk, 1u);
    }
    more = min(more, (*walk).left);
    (*walk).column += more;
    (*walk).left -= more;
}
