// Elements in memory are pairs of f32, arithmetic is in f64: reading rounds once where the words lie far apart, writing
// rounds what the leading word leaves over. What f32 cannot hold has no second word.
struct Element {
    hi: f32,
    lo: f32,
}

fn load(x: Element) -> Scalar { return f64(x.hi) + f64(x.lo); }

fn store(x: Scalar) -> Element {
    let hi = f32(x);
    if ((bitcast<u32>(hi) & 0x7f800000u) == 0x7f800000u) {
        return Element(hi, 0.0);
    }
    return Element(hi, f32(x - f64(hi)));
}
