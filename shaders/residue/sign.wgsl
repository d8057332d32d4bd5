// The sign of x. y is not there.
fn operand(k: u32, at: u32) -> u32 { return x[at]; }
