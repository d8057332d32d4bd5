// Word = f64, every operation kept by an exclusive-or with a 64-bit zero that is read at run time (see f32_barrier).

@group(1) @binding(0) var<storage, read> barrier: array<u64>;

fn word_keep(a: f64) -> f64 { return bitcast<f64>(bitcast<u64>(a) ^ barrier[0]); }
fn word_add(a: Word, b: Word) -> Word { return word_keep(a + b); }
fn word_sub(a: Word, b: Word) -> Word { return word_keep(a - b); }
fn word_mul(a: Word, b: Word) -> Word { return word_keep(a * b); }
fn word_div(a: Word, b: Word) -> Word { return word_keep(a / b); }
fn word_sqrt(a: Word) -> Word { return word_keep(sqrt(a)); }
fn word_fma(a: Word, b: Word, c: Word) -> Word { return word_keep(fma(a, b, c)); }
fn word_neg(a: Word) -> Word { return -a; }
fn word_abs(a: Word) -> Word { return abs(a); }
fn word_from_u32(a: u32) -> Word { return word_keep(f64(a)); }
