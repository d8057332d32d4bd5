// Elements in memory are f64, arithmetic is in pairs of them: reading is exact, writing rounds to nearest.
alias Element = f64;

fn load(x: Element) -> Scalar { return Scalar(x, WORD_ZERO); }
fn store(x: Scalar) -> Element { return x.hi; }
