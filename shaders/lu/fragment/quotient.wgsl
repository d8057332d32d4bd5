// a / b rounded to nearest, ties to even, whatever the device's own division is like (WGSL allows it 2.5 ulp): that only
// says where the search begins. The remainder is exact, in 32-bit integers: it is small, so that wrapping does no harm.
// One division, about 40 integer operations; subnormals, infinities and NaNs as IEEE 754 has them.
const DIVISION_NATIVE: u32 = 0u;

fn word_quotient(a: Word, b: Word) -> Word {
    if (DIVISION == DIVISION_NATIVE) {
        return word_div(a, b);
    }
    return bitcast<f32>(rounded_quotient(bitcast<u32>(a), bitcast<u32>(b)));
}

const QUOTIENT_SIGN: u32 = 0x80000000u;
const QUOTIENT_INFINITY: u32 = 0x7f800000u;
const QUOTIENT_NAN: u32 = 0x7fc00000u;

// The biased exponent, and 24 bits of which the first is one; the exponent of a subnormal goes below 1.
struct Significand {
    exponent: i32,
    bits: u32,
}

fn significand(size: u32) -> Significand {
    if (size < 0x00800000u) {
        let shift = countLeadingZeros(size) - 8u;
        return Significand(1 - i32(shift), size << shift);
    }
    return Significand(i32(size >> 23u), (size & 0x007fffffu) | 0x00800000u);
}

fn rounded_quotient(x: u32, y: u32) -> u32 {
    let sign = (x ^ y) & QUOTIENT_SIGN;
    let x_size = x & ~QUOTIENT_SIGN;
    let y_size = y & ~QUOTIENT_SIGN;
    let both_zero = x_size == 0u && y_size == 0u;
    let both_infinite = x_size == QUOTIENT_INFINITY && y_size == QUOTIENT_INFINITY;
    if (x_size > QUOTIENT_INFINITY || y_size > QUOTIENT_INFINITY || both_zero || both_infinite) {
        return QUOTIENT_NAN;
    }
    if (x_size == QUOTIENT_INFINITY || y_size == 0u) {
        return sign | QUOTIENT_INFINITY;
    }
    if (x_size == 0u || y_size == QUOTIENT_INFINITY) {
        return sign;
    }
    let p = significand(x_size);
    let q = significand(y_size);
    var exponent = p.exponent - q.exponent + 127;
    var numerator = p.bits;
    if (numerator < q.bits) {
        numerator = numerator << 1u;
        exponent -= 1;
    }
    // floor(2^24 numerator / divisor) has 25 bits: those of the result, and one that says which way to round.
    let seed = word_div(word_from_u32(numerator), word_from_u32(q.bits));
    var digits = (u32(word_mul(seed, 8388608.0)) << 1u) + SEED_ERROR;
    var rest = bitcast<i32>((numerator << 24u) - digits * q.bits);
    let divisor = i32(q.bits);
    for (var i = 0u; i < 64u && rest < 0; i++) {
        digits -= 1u;
        rest += divisor;
    }
    for (var i = 0u; i < 64u && rest >= divisor; i++) {
        digits += 1u;
        rest -= divisor;
    }
    return quotient_rounded(sign, exponent, (digits << 1u) | select(0u, 1u, rest != 0));
}

// 24 bits, and two more: half a unit in the last place, and whether there is anything below that.
fn quotient_rounded(sign: u32, exponent: i32, bits: u32) -> u32 {
    if (exponent >= 255) {
        return sign | QUOTIENT_INFINITY;
    }
    var e = exponent;
    var m = bits;
    if (e < 1) {
        // Subnormal: what falls off stays as the last bit.
        let shift = min(u32(1 - e), 31u);
        m = (m >> shift) | select(0u, 1u, (m << (32u - shift)) != 0u);
        e = 1;
    }
    let tail = m & 3u;
    m = m >> 2u;
    if (tail == 3u || (tail == 2u && (m & 1u) == 1u)) {
        m += 1u;
    }
    // The leading bit adds one to the exponent's field; a subnormal has none. A carry comes out right, up to infinity.
    return sign | ((u32(e - 1) << 23u) + m);
}
