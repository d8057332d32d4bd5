// z <- x + y.
const READS_Y: bool = true;

fn apply(x: u32, y: u32, m: Modulus) -> u32 { return m_add(x, y, m); }
