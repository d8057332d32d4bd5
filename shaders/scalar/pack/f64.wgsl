// A pack is 16 bytes of elements, read at once: 2 of f64. Lanes are named: a vector of doubles that is indexed may end up
// in memory.
alias Pack = vec2<f64>;

const PACK: u32 = 2u;

fn unpack(x: Pack, lane: u32) -> Scalar {
    if (lane == 0u) {
        return load(x.x);
    }
    return load(x.y);
}
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) {
    if (lane == 0u) {
        *x = vec2<f64>(store(value), (*x).y);
    } else {
        *x = vec2<f64>((*x).x, store(value));
    }
}
