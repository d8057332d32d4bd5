// Word = f64, every operation as the compiler likes it: exact only where the self-test, or NoContraction, says so.
alias Word = f64;

const WORD_ZERO: f64 = f64(0.0);
const WORD_ONE: f64 = f64(1.0);
const WORD_HALF: f64 = f64(0.5);
// 2^27 + 1 splits 53 bits into 26 and 26 and a sign (Veltkamp 1968).
const WORD_SPLITTER: f64 = f64(134217729.0);

// Blue 1978: the squares of what lies between TINY and HUGE, and the error terms of these squares, neither underflow
// nor overflow, also summed over 2^23 elements; what lies outside is first multiplied by UP or DOWN.
const WORD_TINY: f64 = 0x1p-450lf;
const WORD_HUGE: f64 = 0x1p+486lf;
const WORD_UP: f64 = 0x1p+537lf;
const WORD_UP_INVERSE: f64 = 0x1p-537lf;
const WORD_DOWN: f64 = 0x1p-538lf;
const WORD_DOWN_INVERSE: f64 = 0x1p+538lf;

fn word_add(a: Word, b: Word) -> Word { return a + b; }
fn word_sub(a: Word, b: Word) -> Word { return a - b; }
fn word_mul(a: Word, b: Word) -> Word { return a * b; }
fn word_div(a: Word, b: Word) -> Word { return a / b; }
fn word_sqrt(a: Word) -> Word { return sqrt(a); }
fn word_fma(a: Word, b: Word, c: Word) -> Word { return fma(a, b, c); }
fn word_neg(a: Word) -> Word { return -a; }
fn word_abs(a: Word) -> Word { return abs(a); }
// The significand rounded to 26 bits, so that the rest is 26 bits and a sign (53 is odd: cutting would leave 27).
fn word_upper(a: Word) -> Word { return bitcast<f64>((bitcast<u64>(a) + 0x4000000lu) & 0xfffffffff8000000lu); }
fn word_is_nan(a: Word) -> bool { return (bitcast<u64>(a) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu; }
fn word_is_finite(a: Word) -> bool { return (bitcast<u64>(a) & 0x7ff0000000000000lu) != 0x7ff0000000000000lu; }
fn word_from_u32(a: u32) -> Word { return f64(a); }
