// Word = f32, every operation as the compiler likes it: exact only where the self-test, or NoContraction, says so.

fn word_add(a: Word, b: Word) -> Word { return a + b; }
fn word_sub(a: Word, b: Word) -> Word { return a - b; }
fn word_mul(a: Word, b: Word) -> Word { return a * b; }
fn word_div(a: Word, b: Word) -> Word { return a / b; }
fn word_sqrt(a: Word) -> Word { return sqrt(a); }
fn word_fma(a: Word, b: Word, c: Word) -> Word { return fma(a, b, c); }
fn word_neg(a: Word) -> Word { return -a; }
fn word_abs(a: Word) -> Word { return abs(a); }
fn word_from_u32(a: u32) -> Word { return f32(a); }
