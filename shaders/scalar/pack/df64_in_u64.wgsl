// A pack is 16 bytes of elements, read at once: two pairs of f32, each an integer of 64 bits with the head in its lower half.
alias Pack = vec2<u64>;

const PACK: u32 = 2u;

fn unpack(x: Pack, lane: u32) -> Scalar {
    let both = select(x.x, x.y, lane == 1u);
    return Scalar(bitcast<f32>(u32(both)), bitcast<f32>(u32(both >> 32u)));
}
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) {
    let both = u64(bitcast<u32>(value.hi)) | (u64(bitcast<u32>(value.lo)) << 32u);
    *x = select(vec2<u64>(both, (*x).y), vec2<u64>((*x).x, both), lane == 1u);
}
