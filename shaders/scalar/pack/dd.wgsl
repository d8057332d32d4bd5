// A pack is 16 bytes of elements, read at once: one pair of f64.
alias Pack = vec2<f64>;

const PACK: u32 = 1u;

fn unpack(x: Pack, lane: u32) -> Scalar { return Scalar(x.x, x.y); }
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) { *x = vec2<f64>(value.hi, value.lo); }
