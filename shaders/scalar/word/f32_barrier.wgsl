// Word = f32, every operation kept: its result passes an exclusive-or with a zero that is read at run time. The XOR
// has no floating-point algebra, so nothing is reassociated across it and no product is contracted into a sum.
alias Word = f32;

// A storage buffer, since some drivers compile uniforms in. The host writes zero.
@group(1) @binding(0) var<storage, read> barrier: array<u32>;

const WORD_ZERO: f32 = 0.0;
const WORD_ONE: f32 = 1.0;
const WORD_HALF: f32 = 0.5;
const WORD_SPLITTER: f32 = 4097.0;

// Blue 1978: the squares of what lies between TINY and HUGE, and the error terms of these squares, neither underflow
// nor overflow, also summed over 2^23 elements; what lies outside is first multiplied by UP or DOWN.
const WORD_TINY: f32 = 0x1p-40f;
const WORD_HUGE: f32 = 0x1p+52f;
const WORD_UP: f32 = 0x1p+75f;
const WORD_UP_INVERSE: f32 = 0x1p-75f;
const WORD_DOWN: f32 = 0x1p-76f;
const WORD_DOWN_INVERSE: f32 = 0x1p+76f;

fn word_keep(a: f32) -> f32 { return bitcast<f32>(bitcast<u32>(a) ^ barrier[0]); }
fn word_add(a: Word, b: Word) -> Word { return word_keep(a + b); }
fn word_sub(a: Word, b: Word) -> Word { return word_keep(a - b); }
fn word_mul(a: Word, b: Word) -> Word { return word_keep(a * b); }
fn word_div(a: Word, b: Word) -> Word { return word_keep(a / b); }
fn word_sqrt(a: Word) -> Word { return word_keep(sqrt(a)); }
fn word_fma(a: Word, b: Word, c: Word) -> Word { return word_keep(fma(a, b, c)); }
fn word_neg(a: Word) -> Word { return -a; }
fn word_abs(a: Word) -> Word { return abs(a); }
fn word_upper(a: Word) -> Word { return bitcast<f32>(bitcast<u32>(a) & 0xfffff000u); }
fn word_is_nan(a: Word) -> bool { return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }
fn word_is_finite(a: Word) -> bool { return (bitcast<u32>(a) & 0x7f800000u) != 0x7f800000u; }
fn word_from_u32(a: u32) -> Word { return word_keep(f32(a)); }
