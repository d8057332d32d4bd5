// Word = f32, every operation kept: its result passes an exclusive-or with a zero that is read at run time. The XOR
// has no floating-point algebra, so nothing is reassociated across it and no product is contracted into a sum.

// A storage buffer, since some drivers compile uniforms in. The host writes zero.
@group(1) @binding(0) var<storage, read> barrier: array<u32>;

fn word_keep(a: f32) -> f32 { return bitcast<f32>(bitcast<u32>(a) ^ barrier[0]); }
fn word_add(a: Word, b: Word) -> Word { return word_keep(a + b); }
fn word_sub(a: Word, b: Word) -> Word { return word_keep(a - b); }
fn word_mul(a: Word, b: Word) -> Word { return word_keep(a * b); }
fn word_div(a: Word, b: Word) -> Word { return word_keep(a / b); }
fn word_sqrt(a: Word) -> Word { return word_keep(sqrt(a)); }
fn word_fma(a: Word, b: Word, c: Word) -> Word { return word_keep(fma(a, b, c)); }
fn word_neg(a: Word) -> Word { return -a; }
fn word_abs(a: Word) -> Word { return abs(a); }
fn word_from_u32(a: u32) -> Word { return word_keep(f32(a)); }
