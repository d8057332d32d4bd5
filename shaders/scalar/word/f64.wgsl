// Word = f64: its constants, and what is done with its bits, which no floating-point rewrite passes. How + - * / and
// the root are kept as written is a layer of its own: f64_plain, f64_barrier.
alias Word = f64;

const WORD_ZERO: f64 = f64(0.0);
const WORD_ONE: f64 = f64(1.0);
// Below LOW a factor is lifted before it is split: its lower half is a normal number then, and what the product was multiplied
// by does not overflow.
const WORD_LOW: f64 = 0x1p-500lf;
const WORD_LIFT: f64 = 0x1p+400lf;
const WORD_LIFT_INVERSE: f64 = 0x1p-400lf;

// Blue 1978: the squares of what lies between TINY and HUGE, and the error terms of these squares, neither underflow
// nor overflow, also summed over 2^23 elements; what lies outside is first multiplied by UP or DOWN.
const WORD_TINY: f64 = 0x1p-450lf;
const WORD_HUGE: f64 = 0x1p+486lf;
const WORD_UP: f64 = 0x1p+537lf;
const WORD_UP_INVERSE: f64 = 0x1p-537lf;
const WORD_DOWN: f64 = 0x1p-538lf;
const WORD_DOWN_INVERSE: f64 = 0x1p+538lf;

// The significand rounded to 26 bits, so that the rest is 26 bits and a sign (53 is odd: cutting would leave 27).
fn word_upper(a: Word) -> Word { return bitcast<f64>((bitcast<u64>(a) + 0x4000000lu) & 0xfffffffff8000000lu); }
fn word_is_nan(a: Word) -> bool { return (bitcast<u64>(a) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu; }

// |hi| as integers, without lo: two that are alike so far serve equally well.
fn word_rank(hi: Word, lo: Word) -> vec2<u32> {
    let bits = bitcast<u64>(hi) & 0x7ffffffffffffffflu;
    return vec2<u32>(u32(bits >> 32u), u32(bits & 0xfffffffflu));
}
