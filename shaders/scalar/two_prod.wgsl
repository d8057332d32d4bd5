// a b = p + e exactly (no overflow, and no underflow of e): three ways to find e, one chosen by PRODUCT.
const PRODUCT_FMA: u32 = 0u;
const PRODUCT_MASK: u32 = 1u;
const PRODUCT_LIFTED: u32 = 2u;

struct WordPair {
    hi: Word,
    lo: Word,
}

fn two_prod(a: Word, b: Word) -> WordPair { return two_prod_by(PRODUCT, a, b); }

// PRODUCT is a constant, so that only one way is left after compilation; the self-test names all three.
fn two_prod_by(way: u32, a: Word, b: Word) -> WordPair {
    let p = word_mul(a, b);
    if (way == PRODUCT_FMA) {
        return WordPair(p, word_fma(a, b, word_neg(p)));
    }
    if (way == PRODUCT_MASK) {
        return WordPair(p, split_error(p, a, b));
    }
    // Where subnormals are flushed, the lower half of a small factor would be, and what p has of it taken for its error.
    let low_a = word_abs(a) < WORD_LOW;
    let low_b = word_abs(b) < WORD_LOW;
    let lifted_a = word_mul(a, select(WORD_ONE, WORD_LIFT, low_a));
    let lifted_b = word_mul(b, select(WORD_ONE, WORD_LIFT, low_b));
    let e = split_error(word_mul(lifted_a, lifted_b), lifted_a, lifted_b);
    let of_a = word_mul(e, select(WORD_ONE, WORD_LIFT_INVERSE, low_a));
    return WordPair(p, word_mul(of_a, select(WORD_ONE, WORD_LIFT_INVERSE, low_b)));
}

// Dekker 1971: halves multiply exactly, and each difference is exact.
fn split_error(p: Word, a: Word, b: Word) -> Word {
    let a_hi = word_upper(a);
    let b_hi = word_upper(b);
    let a_lo = word_sub(a, a_hi);
    let b_lo = word_sub(b, b_hi);
    let e1 = word_sub(p, word_mul(a_hi, b_hi));
    let e2 = word_sub(e1, word_mul(a_lo, b_hi));
    let e3 = word_sub(e2, word_mul(a_hi, b_lo));
    return word_sub(word_mul(a_lo, b_lo), e3);
}
