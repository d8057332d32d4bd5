// Elements in memory are pairs of f32, arithmetic is in pairs of f64: reading is exact, writing rounds each word once, as the host
// does. What f32 cannot hold has no second word.
struct Element {
    hi: f32,
    lo: f32,
}

fn load(x: Element) -> Scalar { return normalised(fast_two_sum(widened(x.hi), widened(x.lo))); }

fn store(x: Scalar) -> Element {
    let first = nearest(rounded_to_odd(x.hi, x.lo));
    // Exact: what the leading word leaves over has the last bit of x.
    let rest = fast_two_sum(word_sub(x.hi, widened(first)), x.lo);
    // It may round up to a tie with an odd leading word; their sum rounds to the even one.
    let sum = fast_two_sum(widened(first), widened(nearest(rounded_to_odd(rest.hi, rest.lo))));
    let hi = nearest(rounded_to_odd(sum.hi, sum.lo));
    if (is_beyond(first) || is_beyond(hi)) {
        return Element(select(hi, first, is_beyond(first)), 0.0);
    }
    return Element(hi, nearest(word_add(word_sub(sum.hi, widened(hi)), sum.lo)));
}

// Infinite or NaN: only the bits tell.
fn is_beyond(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u; }
