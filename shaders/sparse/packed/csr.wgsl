// Packed CSR: the descriptors of row i are from pointers[i].x to pointers[i + 1].x, its values likewise by .y.
const ARRAYS: u32 = 3u;

@group(0) @binding(1) var<storage, read> values: array<Element>;
@group(0) @binding(2) var<storage, read> descriptors: array<u32>;
@group(0) @binding(3) var<storage, read> pointers: array<vec2<u32>>;

fn row_of(position: u32) -> u32 { return position; }

fn row_sum(row: u32) -> Scalar {
    let begin = pointers[row];
    let end = pointers[row + 1u];
    var walk = walk_from(begin.x, end.x, 1u);
    var k = begin.y;
    var sum = SCALAR_ZERO;
    for (; end.y - k >= UNROLL; k += UNROLL) {
        var value: array<Element, UNROLL>;
        var factor: array<Element, UNROLL>;
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            value[e] = values[k + e];
            factor[e] = x_of(next_column(&walk, 1u));
        }
        for (var e = 0u; e < UNROLL; e++) { // unrolled
            sum = s_mul_add(load(value[e]), load(factor[e]), sum);
        }
    }
    for (; k < end.y; k++) {
        sum = s_mul_add(load(values[k]), load(x_of(next_column(&walk, 1u))), sum);
    }
    return sum;
}
