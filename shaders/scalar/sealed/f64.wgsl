// The scalar in words that are never zero (lib/sealed.wgsl): in its upper half all bits set are a NaN, and become another; of the lower
// half, which may be anything, the upper bit goes by itself.
const SEALED: u32 = 3u;
fn s_sealed(x: Scalar) -> array<u32, SEALED> {
    let bits = bitcast<u64>(x);
    let low = u32(bits & 0xfffffffflu);
    return array<u32, SEALED>(sealed(u32(bits >> 32u)), low | 0x80000000u, sealed(low >> 31u));
}
fn s_opened(words: array<u32, SEALED>) -> Scalar {
    let low = (words[1] & 0x7fffffffu) | (opened(words[2]) << 31u);
    return bitcast<f64>((u64(opened(words[0])) << 32u) | u64(low));
}
