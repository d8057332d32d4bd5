// The scalar in words that are never zero (lib/sealed.wgsl): all bits set are a NaN, and become another.
const SEALED: u32 = 1u;
fn s_sealed(x: Scalar) -> array<u32, SEALED> { return array<u32, SEALED>(sealed(bitcast<u32>(x))); }
fn s_opened(words: array<u32, SEALED>) -> Scalar { return bitcast<f32>(opened(words[0])); }
