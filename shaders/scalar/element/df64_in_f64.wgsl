// Elements in memory are pairs of f32, arithmetic is in f64: reading rounds once where the words lie far apart, writing
// rounds what the leading word leaves over. What f32 cannot hold has no second word.
struct Element {
    hi: f32,
    lo: f32,
}

fn load(x: Element) -> Scalar { return widened(x.hi) + widened(x.lo); }

fn store(x: Scalar) -> Element {
    let first = nearest(x);
    // What is left over may round up to a tie with an odd leading word; their sum, which f64 holds, rounds to the even one.
    let sum = widened(first) + widened(nearest(x - widened(first)));
    let hi = nearest(sum);
    if (is_beyond(first) || is_beyond(hi)) {
        return Element(select(hi, first, is_beyond(first)), 0.0);
    }
    return Element(hi, nearest(sum - widened(hi)));
}

// Infinite or NaN: only the bits tell.
fn is_beyond(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u; }
