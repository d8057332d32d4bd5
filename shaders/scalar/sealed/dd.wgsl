// The pair in words that are never zero (lib/sealed.wgsl), its halves as f64.wgsl has them.
const SEALED: u32 = 6u;
fn s_sealed(x: Scalar) -> array<u32, SEALED> {
    let hi = bitcast<u64>(x.hi);
    let lo = bitcast<u64>(x.lo);
    let low = vec2<u32>(u32(hi & 0xfffffffflu), u32(lo & 0xfffffffflu));
    return array<u32, SEALED>(
        sealed(u32(hi >> 32u)), low.x | 0x80000000u, sealed(low.x >> 31u),
        sealed(u32(lo >> 32u)), low.y | 0x80000000u, sealed(low.y >> 31u),
    );
}
fn s_opened(words: array<u32, SEALED>) -> Scalar {
    let hi = (words[1] & 0x7fffffffu) | (opened(words[2]) << 31u);
    let lo = (words[4] & 0x7fffffffu) | (opened(words[5]) << 31u);
    return Scalar(
        bitcast<f64>((u64(opened(words[0])) << 32u) | u64(hi)),
        bitcast<f64>((u64(opened(words[3])) << 32u) | u64(lo)),
    );
}
