// A pack is 16 bytes of elements, read at once: 4 of f32.
alias Pack = vec4<f32>;

const PACK: u32 = 4u;

fn unpack(x: Pack, lane: u32) -> Scalar { return load(x[lane]); }
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) { (*x)[lane] = store(value); }
