// A pack is 16 bytes of elements, read at once: 4 of f32, as two integers of 64 bits. The lower half of one is the earlier.
alias Pack = vec2<u64>;

const PACK: u32 = 4u;

fn unpack(x: Pack, lane: u32) -> Scalar {
    let both = select(x.x, x.y, lane >= 2u);
    return load(bitcast<f32>(select(u32(both), u32(both >> 32u), lane % 2u == 1u)));
}
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) {
    let both = select((*x).x, (*x).y, lane >= 2u);
    let element = u64(bitcast<u32>(store(value)));
    let lower = ((both >> 32u) << 32u) | element;
    let upper = u64(u32(both)) | (element << 32u);
    let changed = select(lower, upper, lane % 2u == 1u);
    *x = select(vec2<u64>(changed, (*x).y), vec2<u64>((*x).x, changed), lane >= 2u);
}
