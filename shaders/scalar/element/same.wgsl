// Elements in memory are the scalars themselves.
alias Element = Scalar;

fn load(x: Element) -> Scalar { return x; }
fn store(x: Scalar) -> Element { return x; }
