// Word = f32, every operation done in 32-bit integers, whose arithmetic WGSL does promise: correctly rounded, ties to
// even, subnormals kept. For devices on which no floating-point operation can be trusted; slow.

fn word_add(a: Word, b: Word) -> Word { return bitcast<f32>(bits_add(bitcast<u32>(a), bitcast<u32>(b))); }
fn word_sub(a: Word, b: Word) -> Word { return bitcast<f32>(bits_add(bitcast<u32>(a), bitcast<u32>(b) ^ SIGN)); }
fn word_mul(a: Word, b: Word) -> Word { return bitcast<f32>(bits_mul(bitcast<u32>(a), bitcast<u32>(b))); }
fn word_div(a: Word, b: Word) -> Word { return bitcast<f32>(bits_div(bitcast<u32>(a), bitcast<u32>(b))); }
fn word_sqrt(a: Word) -> Word { return bitcast<f32>(bits_sqrt(bitcast<u32>(a))); }
// Not fused: products find their error by mask here.
fn word_fma(a: Word, b: Word, c: Word) -> Word { return word_add(word_mul(a, b), c); }
fn word_neg(a: Word) -> Word { return bitcast<f32>(bitcast<u32>(a) ^ SIGN); }
fn word_abs(a: Word) -> Word { return bitcast<f32>(bitcast<u32>(a) & ~SIGN); }
// Of 16 bits at most (double_word.wgsl halves its argument): exact.
fn word_from_u32(a: u32) -> Word { return f32(a); }

const SIGN: u32 = 0x80000000u;
const INFINITY: u32 = 0x7f800000u;
const QUIET_NAN: u32 = 0x7fc00000u;
const LEADING: u32 = 0x00800000u;
// Significands carry three bits below the last: guard, round and sticky. Their leading bit is 26.
const TOP: u32 = 0x04000000u;

// The biased exponent and the significand of a finite number; a subnormal has the exponent of the smallest normal.
struct Unpacked {
    exponent: i32,
    significand: u32,
}

fn unpack_bits(x: u32) -> Unpacked {
    let exponent = (x >> 23u) & 0xffu;
    let fraction = x & 0x007fffffu;
    if (exponent == 0u) {
        return Unpacked(1, fraction);
    }
    return Unpacked(i32(exponent), fraction | LEADING);
}

// The same with the leading bit at 23, for non-zero numbers: the exponent of a subnormal goes below 1.
fn unpack_normalised(x: u32) -> Unpacked {
    let u = unpack_bits(x);
    let shift = countLeadingZeros(u.significand) - 8u;
    return Unpacked(u.exponent - i32(shift), u.significand << shift);
}

// x shifted right; what falls off stays as a sticky last bit.
fn shift_sticky(x: u32, shift: u32) -> u32 {
    if (shift == 0u) {
        return x;
    }
    if (shift >= 32u) {
        return select(0u, 1u, x != 0u);
    }
    return (x >> shift) | select(0u, 1u, (x << (32u - shift)) != 0u);
}

// Rounds a significand with three extra bits, below 2^28, to nearest, ties to even.
fn round_bits(sign: u32, exponent: i32, significand: u32) -> u32 {
    var e = exponent;
    var m = significand;
    if (m >= 2u * TOP) {
        m = shift_sticky(m, 1u);
        e += 1;
    }
    if (e < 1) {
        m = shift_sticky(m, u32(1 - e));
        e = 1;
    }
    if (e >= 255) {
        return sign | INFINITY;
    }
    let rest = m & 7u;
    m = m >> 3u;
    if (rest > 4u || (rest == 4u && (m & 1u) == 1u)) {
        m += 1u;
    }
    // The leading bit adds one to the exponent field; a subnormal has none. A carry comes out right, up to infinity.
    return sign | ((u32(e - 1) << 23u) + m);
}

fn bits_add(x: u32, y: u32) -> u32 {
    if ((x & INFINITY) == INFINITY || (y & INFINITY) == INFINITY) {
        return add_special(x, y);
    }
    var big = x;
    var small = y;
    if ((x & ~SIGN) < (y & ~SIGN)) {
        big = y;
        small = x;
    }
    let sign = big & SIGN;
    let a = unpack_bits(big);
    let b = unpack_bits(small);
    let aligned = shift_sticky(b.significand << 3u, u32(a.exponent - b.exponent));
    if (sign == (small & SIGN)) {
        return round_bits(sign, a.exponent, (a.significand << 3u) + aligned);
    }
    let difference = (a.significand << 3u) - aligned;
    if (difference == 0u) {
        return 0u;
    }
    // Bring the leading bit back to 26, as far as the exponent allows.
    let wanted = i32(countLeadingZeros(difference)) - 5;
    let shift = clamp(wanted, 0, a.exponent - 1);
    return round_bits(sign, a.exponent - shift, difference << u32(shift));
}

fn add_special(x: u32, y: u32) -> u32 {
    let x_nan = (x & ~SIGN) > INFINITY;
    let y_nan = (y & ~SIGN) > INFINITY;
    let both = (x & ~SIGN) == INFINITY && (y & ~SIGN) == INFINITY;
    if (x_nan || y_nan || (both && x != y)) {
        return QUIET_NAN;
    }
    return select(y, x, (x & ~SIGN) == INFINITY);
}

fn bits_mul(x: u32, y: u32) -> u32 {
    let sign = (x ^ y) & SIGN;
    let x_zero = (x & ~SIGN) == 0u;
    let y_zero = (y & ~SIGN) == 0u;
    if ((x & INFINITY) == INFINITY || (y & INFINITY) == INFINITY) {
        let nan = (x & ~SIGN) > INFINITY || (y & ~SIGN) > INFINITY || x_zero || y_zero;
        return select(sign | INFINITY, QUIET_NAN, nan);
    }
    if (x_zero || y_zero) {
        return sign;
    }
    let a = unpack_normalised(x);
    let b = unpack_normalised(y);
    // 24 x 24 bits in 12-bit halves: the product is high 2^24 + low.
    let cross = (a.significand >> 12u) * (b.significand & 0xfffu) + (a.significand & 0xfffu) * (b.significand >> 12u);
    let lower = (a.significand & 0xfffu) * (b.significand & 0xfffu) + ((cross & 0xfffu) << 12u);
    let high = (a.significand >> 12u) * (b.significand >> 12u) + (cross >> 12u) + (lower >> 24u);
    let low = lower & 0xffffffu;
    // Of 48 bits the upper 28, or 27 where the leading bit is one lower.
    let significand = (high << 4u) | shift_sticky(low, 20u);
    return round_bits(sign, a.exponent + b.exponent - 127, significand);
}

fn bits_div(x: u32, y: u32) -> u32 {
    let sign = (x ^ y) & SIGN;
    let x_infinite = (x & ~SIGN) == INFINITY;
    let y_infinite = (y & ~SIGN) == INFINITY;
    let x_zero = (x & ~SIGN) == 0u;
    let y_zero = (y & ~SIGN) == 0u;
    let nan = (x & ~SIGN) > INFINITY || (y & ~SIGN) > INFINITY;
    if (nan || (x_infinite && y_infinite) || (x_zero && y_zero)) {
        return QUIET_NAN;
    }
    if (x_infinite || y_zero) {
        return sign | INFINITY;
    }
    if (x_zero || y_infinite) {
        return sign;
    }
    let a = unpack_normalised(x);
    let b = unpack_normalised(y);
    var exponent = a.exponent - b.exponent + 127;
    var rest = a.significand;
    if (rest < b.significand) {
        rest = rest << 1u;
        exponent -= 1;
    }
    var quotient = 0u;
    for (var i = 0u; i < 27u; i++) {
        quotient = quotient << 1u;
        if (rest >= b.significand) {
            rest -= b.significand;
            quotient |= 1u;
        }
        rest = rest << 1u;
    }
    return round_bits(sign, exponent, quotient | select(0u, 1u, rest != 0u));
}

fn bits_sqrt(x: u32) -> u32 {
    if ((x & ~SIGN) > INFINITY || ((x & SIGN) != 0u && x != SIGN)) {
        return QUIET_NAN;
    }
    if ((x & ~SIGN) == 0u || x == INFINITY) {
        return x;
    }
    let a = unpack_normalised(x);
    // An even unbiased exponent, and the significand in [1, 4) with 23 bits after the point.
    let odd = (a.exponent & 1) == 0;
    let significand = select(a.significand, a.significand << 1u, odd);
    let exponent = (select(a.exponent, a.exponent - 1, odd) - 127) / 2 + 127;
    // Digit by digit: 27 digits of the root need 54 bits of the radicand, of which only the upper 25 are not zero.
    var rest = 0u;
    var root = 0u;
    for (var i = 0u; i < 27u; i++) {
        var digits = 0u;
        if (i < 12u) {
            digits = (significand >> (23u - 2u * i)) & 3u;
        } else if (i == 12u) {
            digits = (significand << 1u) & 3u;
        }
        rest = (rest << 2u) | digits;
        let trial = (root << 2u) | 1u;
        root = root << 1u;
        if (rest >= trial) {
            rest -= trial;
            root |= 1u;
        }
    }
    return round_bits(0u, exponent, root | select(0u, 1u, rest != 0u));
}
