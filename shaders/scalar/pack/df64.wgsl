// A pack is 16 bytes of elements, read at once: two pairs of f32.
alias Pack = vec4<f32>;

const PACK: u32 = 2u;

fn unpack(x: Pack, lane: u32) -> Scalar {
    if (lane == 0u) {
        return Scalar(x.x, x.y);
    }
    return Scalar(x.z, x.w);
}
fn repack(x: ptr<function, Pack>, lane: u32, value: Scalar) {
    if (lane == 0u) {
        *x = vec4<f32>(value.hi, value.lo, (*x).zw);
    } else {
        *x = vec4<f32>((*x).xy, value.hi, value.lo);
    }
}
