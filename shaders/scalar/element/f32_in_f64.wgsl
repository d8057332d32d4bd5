// Elements in memory are f32, arithmetic is in f64: reading is exact, writing rounds to nearest.
alias Element = f32;

fn load(x: Element) -> Scalar { return widened(x); }
fn store(x: Scalar) -> Element { return nearest(x); }
