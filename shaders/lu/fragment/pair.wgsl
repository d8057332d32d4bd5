// A channel is a pair of f32 words (Df64), and a texel four pairs in 32 bytes.
alias Number = Scalar;

struct Texel {
    upper: vec4<f32>,
    lower: vec4<f32>,
}

// Three quotients, as s_div, of words divided as this study divides them: with the correctly rounded ones the pair is
// the host's, bit for bit. Of a zero, an infinity or a NaN there are no remainders: the quotient of the upper words is all.
fn quotient(x: Number, y: Number) -> Number {
    if (is_special(x.hi) || is_special(y.hi)) {
        return Scalar(word_quotient(x.hi, y.hi), 0.0);
    }
    let q1 = word_quotient(x.hi, y.hi);
    let r1 = s_sub(x, times_word(y, q1));
    let q2 = word_quotient(r1.hi, y.hi);
    let r2 = s_sub(r1, times_word(y, q2));
    let q3 = word_quotient(r2.hi, y.hi);
    let q = fast_two_sum(q1, q2);
    return normalised(fast_two_sum(q.hi, word_add(q.lo, q3)));
}
fn is_special(x: Word) -> bool {
    let size = bitcast<u32>(x) & ~QUOTIENT_SIGN;
    return size == 0u || size >= QUOTIENT_INFINITY;
}

fn updated(a: Number, u: Number, l: Number) -> Number { return s_sub(a, s_mul(u, l)); }

fn channel(texel: Texel, lane: u32) -> Number {
    let half = select(texel.upper, texel.lower, lane >= 2u);
    if ((lane & 1u) == 0u) {
        return Scalar(half.x, half.y);
    }
    return Scalar(half.z, half.w);
}
fn set_channel(texel: ptr<function, Texel>, lane: u32, value: Number) {
    switch (lane) {
        case 0u: { (*texel).upper = vec4<f32>(value.hi, value.lo, (*texel).upper.zw); }
        case 1u: { (*texel).upper = vec4<f32>((*texel).upper.xy, value.hi, value.lo); }
        case 2u: { (*texel).lower = vec4<f32>(value.hi, value.lo, (*texel).lower.zw); }
        default: { (*texel).lower = vec4<f32>((*texel).lower.xy, value.hi, value.lo); }
    }
}
