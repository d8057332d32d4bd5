// z <- -x. y is not there.
const READS_Y: bool = false;

fn apply(x: u32, y: u32, m: Modulus) -> u32 { return m_neg(x, m); }
