// The sign of x - y.
fn operand(k: u32, at: u32) -> u32 { return m_sub(x[at], y[at], modulus(k)); }
