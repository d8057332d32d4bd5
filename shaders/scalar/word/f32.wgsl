// Word = f32: its constants, and what is done with its bits, which no floating-point rewrite passes. How + - * / and
// the root are kept as written is a layer of its own: f32_plain, f32_barrier, f32_integer.
alias Word = f32;

const WORD_ZERO: f32 = 0.0;
const WORD_ONE: f32 = 1.0;
// Below LOW a factor is lifted before it is split: its lower half is a normal number then, and what the product was multiplied
// by does not overflow.
const WORD_LOW: f32 = 0x1p-62f;
const WORD_LIFT: f32 = 0x1p+48f;
const WORD_LIFT_INVERSE: f32 = 0x1p-48f;

// Blue 1978: the squares of what lies between TINY and HUGE, and the error terms of these squares, neither underflow
// nor overflow, also summed over 2^23 elements; what lies outside is first multiplied by UP or DOWN.
const WORD_TINY: f32 = 0x1p-40f;
const WORD_HUGE: f32 = 0x1p+52f;
const WORD_UP: f32 = 0x1p+75f;
const WORD_UP_INVERSE: f32 = 0x1p-75f;
const WORD_DOWN: f32 = 0x1p-76f;
const WORD_DOWN_INVERSE: f32 = 0x1p+76f;

// The upper 12 bits of the significand: an integer operation, which no floating-point rewrite passes.
fn word_upper(a: Word) -> Word { return bitcast<f32>(bitcast<u32>(a) & 0xfffff000u); }
fn word_is_nan(a: Word) -> bool { return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }

// |hi + lo| as integers; lo has a sign of its own, and lies around 2^31 there, but for zero.
fn word_rank(hi: Word, lo: Word) -> vec2<u32> {
    let sign = bitcast<u32>(hi) & 0x80000000u;
    let high = bitcast<u32>(hi) ^ sign;
    let low = bitcast<u32>(lo) ^ sign;
    let size = low & 0x7fffffffu;
    return vec2<u32>(high, select(select(0x80000000u + size, 0x80000000u - size, low != size), 0u, high == 0u));
}
