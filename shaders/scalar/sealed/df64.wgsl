// The pair in words that are never zero (lib/sealed.wgsl): all bits set are a NaN, and become another.
const SEALED: u32 = 2u;
fn s_sealed(x: Scalar) -> array<u32, SEALED> {
    return array<u32, SEALED>(sealed(bitcast<u32>(x.hi)), sealed(bitcast<u32>(x.lo)));
}
fn s_opened(words: array<u32, SEALED>) -> Scalar {
    return Scalar(bitcast<f32>(opened(words[0])), bitcast<f32>(opened(words[1])));
}
