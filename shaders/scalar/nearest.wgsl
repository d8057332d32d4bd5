// The f32 nearest to an f64, of two the even one, by its bits: in which way a device's own conversions round, and what becomes of
// subnormal numbers, Vulkan leaves open.
fn nearest(x: f64) -> f32 {
    let bits = bitcast<u64>(x);
    let sign = u32(bits >> 32u) & 0x80000000u;
    let size = bits & 0x7ffffffffffffffflu;
    // 2^128 and more, infinite, or NaN.
    if (size >= 0x47f0000000000000lu) {
        return bitcast<f32>(sign | select(0x7f800000u, 0x7fc00000u, size > 0x7ff0000000000000lu));
    }
    let exponent = u32(size >> 52u);
    // Down to 2^-126 the exponent is kept, but for its bias; below, the leading one shows.
    var kept = size - 0x3800000000000000lu;
    var cut = 29u;
    if (exponent < 897u) {
        kept = (size & 0xffffffffffffflu) | 0x10000000000000lu;
        cut = min(926u - exponent, 55u);
    }
    let half = 1lu << (cut - 1u);
    let rest = kept & (half + half - 1lu);
    var result = u32(kept >> cut);
    if (rest > half || (rest == half && (result & 1u) == 1u)) {
        result += 1u;
    }
    return bitcast<f32>(sign | result);
}

// x, and subnormal numbers too, which a device may read as zero.
fn widened(x: f32) -> f64 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7f800000u) != 0u) {
        return f64(x);
    }
    let size = f64(bits & 0x7fffffu) * 1.401298464324817e-45lf; // 2^-149
    return select(size, -size, (bits >> 31u) == 1u);
}

// The f64 next to hi + lo whose last bit is odd, or hi if that is all: the nearest f32 to it is that to hi + lo (Boldo and
// Melquiond 2008).
fn rounded_to_odd(hi: f64, lo: f64) -> f64 {
    let bits = bitcast<u64>(hi);
    let rest = bitcast<u64>(lo);
    let infinite = 0x7ff0000000000000lu;
    if ((rest & 0x7ffffffffffffffflu) == 0lu || (bits & 1lu) == 1lu || (bits & infinite) == infinite) {
        return hi;
    }
    return bitcast<f64>(select(bits - 1lu, bits + 1lu, ((bits ^ rest) >> 63u) == 0lu));
}
