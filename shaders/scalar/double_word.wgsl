// Scalar = an unevaluated sum hi + lo of two words, |lo| <= ulp(hi)/2. The same algorithms, word for word, as
// src/scalar/double_word.rs: with an exact two_sum and two_prod, + - * agree with the host bit for bit.
// Sources: Joldes, Muller, Popescu 2017 (JMP); Muller, Rideau 2022. On overflow a result is NaN or infinite.
struct Scalar {
    hi: Word,
    lo: Word,
}

const SCALAR_ZERO: Scalar = Scalar(WORD_ZERO, WORD_ZERO);
const SCALAR_ONE: Scalar = Scalar(WORD_ONE, WORD_ZERO);
const SCALAR_TINY: Scalar = Scalar(WORD_TINY, WORD_ZERO);
const SCALAR_HUGE: Scalar = Scalar(WORD_HUGE, WORD_ZERO);
const SCALAR_UP: Scalar = Scalar(WORD_UP, WORD_ZERO);
const SCALAR_UP_INVERSE: Scalar = Scalar(WORD_UP_INVERSE, WORD_ZERO);
const SCALAR_DOWN: Scalar = Scalar(WORD_DOWN, WORD_ZERO);
const SCALAR_DOWN_INVERSE: Scalar = Scalar(WORD_DOWN_INVERSE, WORD_ZERO);

// What is best read from workgroup memory at once.
alias Run = array<Scalar, 1>;
const RUN: u32 = 1u;
fn run_mul_add(x: Scalar, y: Run, z: Run) -> Run { return Run(s_mul_add(x, y[0], z[0])); }

// JMP algorithm 6 (AccurateDWPlusDW): relative error <= 3u^2 + 13u^3.
fn s_add(x: Scalar, y: Scalar) -> Scalar {
    let s = two_sum(x.hi, y.hi);
    let t = two_sum(x.lo, y.lo);
    let v = fast_two_sum(s.hi, word_add(s.lo, t.hi));
    return normalised(fast_two_sum(v.hi, word_add(t.lo, v.lo)));
}

fn s_sub(x: Scalar, y: Scalar) -> Scalar { return s_add(x, s_neg(y)); }
fn s_neg(x: Scalar) -> Scalar { return Scalar(word_neg(x.hi), word_neg(x.lo)); }

// JMP algorithm 10 (DWTimesDW1): relative error <= 5u^2 (Muller, Rideau 2022).
fn s_mul(x: Scalar, y: Scalar) -> Scalar {
    let c = two_prod(x.hi, y.hi);
    let t = word_add(word_mul(x.hi, y.lo), word_mul(x.lo, y.hi));
    return normalised(fast_two_sum(c.hi, word_add(c.lo, t)));
}

// The product's words meet the summand's before either is normalised, which saves 12 of 29 flops: error <= 12u^2 |x y| +
// 3u^2 |z|, as src/scalar/double_word.rs proves.
fn s_mul_add(x: Scalar, y: Scalar, z: Scalar) -> Scalar {
    let p = two_prod(x.hi, y.hi);
    let cross = word_add(word_mul(x.hi, y.lo), word_mul(x.lo, y.hi));
    let s = two_sum(p.hi, z.hi);
    let low = word_add(word_add(p.lo, cross), z.lo);
    return normalised(fast_two_sum(s.hi, word_add(s.lo, low)));
}

// Where an operand is small or large both are brought to where a product leaves nothing over among the subnormals, which
// devices flush, and where Vulkan promises quotients (by at most 2^126 in f32). A power of two loses nothing.
fn s_div(x: Scalar, y: Scalar) -> Scalar {
    let scale_x = scale_of(x);
    let scale_y = scale_of(y);
    let q = three_quotients(scaled(x, scale_x), scaled(y, scale_y));
    if (scale_x == scale_y) {
        return q;
    }
    return scaled(scaled(q, scale_y), inverse_scale(scale_x));
}

// 1 / x, where TINY <= |x| <= HUGE.
fn s_reciprocal(x: Scalar) -> Scalar { return three_quotients(SCALAR_ONE, x); }

// Three quotients, since WGSL's division may err by 2.5 ulp: each divides what the one before left over (<= 4u^2).
fn three_quotients(x: Scalar, y: Scalar) -> Scalar {
    let q1 = word_div(x.hi, y.hi);
    let r1 = s_sub(x, times_word(y, q1));
    let q2 = word_div(r1.hi, y.hi);
    let r2 = s_sub(r1, times_word(y, q2));
    let q3 = word_div(r2.hi, y.hi);
    let q = fast_two_sum(q1, q2);
    return normalised(fast_two_sum(q.hi, word_add(q.lo, q3)));
}

// What is small is brought up by UP twice: its root then comes down by one.
fn s_sqrt(x: Scalar) -> Scalar {
    if (x.hi == WORD_ZERO) {
        return x;
    }
    if (x.hi < WORD_TINY) {
        return scaled(root(scaled(scaled(x, WORD_UP), WORD_UP)), WORD_UP_INVERSE);
    }
    return root(x);
}

// Twice s <- s + (x - s s) / 2s, first with the square of a word, then with that of a pair: a seed that is wrong by
// some ulp is mended (<= 4u^2).
fn root(x: Scalar) -> Scalar {
    let seed = word_sqrt(x.hi);
    let r1 = s_sub(x, normalised(two_prod(seed, seed)));
    let s = normalised(fast_two_sum(seed, word_div(r1.hi, word_add(seed, seed))));
    let r2 = s_sub(x, s_mul(s, s));
    let last = word_div(r2.hi, word_add(s.hi, s.hi));
    return normalised(fast_two_sum(s.hi, word_add(s.lo, last)));
}

fn s_abs(x: Scalar) -> Scalar {
    if (x.hi < WORD_ZERO || (x.hi == WORD_ZERO && x.lo < WORD_ZERO)) {
        return s_neg(x);
    }
    return x;
}

fn s_less(x: Scalar, y: Scalar) -> bool { return x.hi < y.hi || (x.hi == y.hi && x.lo < y.lo); }
fn s_is_nan(x: Scalar) -> bool { return word_is_nan(x.hi); }
fn s_from_u32(x: u32) -> Scalar {
    let upper = word_from_u32(x & 0xffff0000u);
    return normalised(fast_two_sum(upper, word_from_u32(x & 0xffffu)));
}

// x times a word, JMP algorithm 7 (DWTimesFP1): <= 1.5u^2 + 4u^3.
fn times_word(x: Scalar, y: Word) -> Scalar {
    let c = two_prod(x.hi, y);
    let v = fast_two_sum(c.hi, word_mul(x.lo, y));
    return normalised(fast_two_sum(v.hi, word_add(v.lo, c.lo)));
}

fn scaled(x: Scalar, by: Word) -> Scalar { return Scalar(word_mul(x.hi, by), word_mul(x.lo, by)); }

fn scale_of(x: Scalar) -> Word {
    let size = word_abs(x.hi);
    if (size < WORD_TINY) {
        return WORD_UP;
    }
    if (size > WORD_HUGE) {
        return WORD_DOWN;
    }
    return WORD_ONE;
}

fn inverse_scale(scale: Word) -> Word {
    if (scale == WORD_UP) {
        return WORD_UP_INVERSE;
    }
    if (scale == WORD_DOWN) {
        return WORD_DOWN_INVERSE;
    }
    return WORD_ONE;
}

fn normalised(pair: WordPair) -> Scalar { return Scalar(pair.hi, pair.lo); }

// |x| as integers: the first of two that differ decides, and a NaN is above every number.
const RANK_WORDS: u32 = 2u;
fn s_rank(x: Scalar) -> vec2<u32> { return word_rank(x.hi, x.lo); }
