// z <- x to the power of the exponent. y is not there.
const READS_Y: bool = false;

fn apply(x: u32, y: u32, m: Modulus) -> u32 { return m_pow(x, params.exponent, m); }
