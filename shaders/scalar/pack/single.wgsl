// A pack of one element: for strided operands, and for those that do not begin on 16 bytes.
alias Pack = Element;

const PACK: u32 = 1u;

fn unpack(x: Pack, lane: u32) -> Scalar { return load(x); }
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) { *x = store(value); }
