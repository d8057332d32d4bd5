// A channel is one f32 word, and a texel four of them, as in 2005. Operations are those of the word layer: kept as they
// are written, so that the host can repeat them.
alias Number = Word;
alias Texel = vec4<f32>;

fn quotient(a: Number, b: Number) -> Number { return word_quotient(a, b); }
fn updated(a: Number, u: Number, l: Number) -> Number { return word_sub(a, word_mul(u, l)); }

fn channel(texel: Texel, lane: u32) -> Number { return texel[lane]; }
fn set_channel(texel: ptr<function, Texel>, lane: u32, value: Number) { (*texel)[lane] = value; }
