// Elements in memory are f32, arithmetic is in pairs: reading is exact, writing rounds to nearest.
alias Element = f32;

fn load(x: Element) -> Scalar { return Scalar(x, WORD_ZERO); }
fn store(x: Scalar) -> Element { return x.hi; }
