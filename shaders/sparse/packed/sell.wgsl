// Packed SELL: descriptor r of the row at position p is at run_ptr(p / HEIGHT) + r HEIGHT + p mod HEIGHT, its j-th value at
// value_ptr(p / HEIGHT) + j HEIGHT + p mod HEIGHT. NO_RUN is behind a row's descriptors. The two pointers of a slice lie
// together, and behind all of them, where rows were sorted (ORDERED), the rows of the positions.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<u32>;

fn row_of(position: u32) -> u32 {
    if (ORDERED != 0u) {
        return pointers[2u * ((params.rows + HEIGHT - 1u) / HEIGHT + 1u) + position];
    }
    return position;
}

fn row_sum(position: u32) -> Scalar {
    let slice = position / HEIGHT;
    let lane = position % HEIGHT;
    let begin = vec2<u32>(pointers[2u * slice], pointers[2u * slice + 1u]);
    let end = vec2<u32>(pointers[2u * slice + 2u], pointers[2u * slice + 3u]);
    var walk = walk_from(begin.x + lane, end.x, HEIGHT);
    let width = (end.y - begin.y) / HEIGHT;
    var sum = SCALAR_ZERO;
    for (var j = 0u; j < width; j += UNROLL) {
        let slot = begin.y + lane + j * HEIGHT;
        var column: array<u32, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            column[e] = next_column(&walk, HEIGHT);
        }
        if (column[UNROLL - 1u] == PADDING) {
            for (var e = 0u; e < UNROLL; e++) { // unrolled
                if (column[e] != PADDING) {
                    sum = s_mul_add(load(values[slot + e * HEIGHT]), load(x_of(column[e])), sum);
                }
            }
            break;
        }
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[slot + e * HEIGHT];
            factor[e] = x_of(column[e]);
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    return sum;
}
