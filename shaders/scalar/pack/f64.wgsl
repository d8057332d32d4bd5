// A pack is 16 bytes of elements, read at once: 2 of f64.
alias Pack = vec2<f64>;

const PACK: u32 = 2u;

fn unpack(x: Pack, lane: u32) -> Scalar { return load(x[lane]); }
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) { (*x)[lane] = store(value); }
