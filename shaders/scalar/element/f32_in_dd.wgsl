// Elements in memory are f32, arithmetic is in pairs of f64: reading is exact, writing rounds once to nearest.
alias Element = f32;

fn load(x: Element) -> Scalar { return Scalar(widened(x), WORD_ZERO); }
fn store(x: Scalar) -> Element { return nearest(rounded_to_odd(x.hi, x.lo)); }
