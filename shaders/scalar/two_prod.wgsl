// a b = p + e exactly (no overflow, and no underflow of e): three ways to find e, one chosen by PRODUCT.
const PRODUCT_FMA: u32 = 0u;
const PRODUCT_MASK: u32 = 1u;
const PRODUCT_DEKKER: u32 = 2u;

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
        let a_hi = word_upper(a);
        let b_hi = word_upper(b);
        return WordPair(p, product_error(p, a_hi, word_sub(a, a_hi), b_hi, word_sub(b, b_hi)));
    }
    let a_hi = veltkamp_upper(a);
    let b_hi = veltkamp_upper(b);
    return WordPair(p, product_error(p, a_hi, word_sub(a, a_hi), b_hi, word_sub(b, b_hi)));
}

// Veltkamp 1968: the upper half of a word's bits, rounded; overflows near the top of the range.
fn veltkamp_upper(a: Word) -> Word {
    let c = word_mul(WORD_SPLITTER, a);
    return word_sub(c, word_sub(c, a));
}

// Dekker 1971: halves multiply exactly, and each difference is exact.
fn product_error(p: Word, a_hi: Word, a_lo: Word, b_hi: Word, b_lo: Word) -> Word {
    let e1 = word_sub(p, word_mul(a_hi, b_hi));
    let e2 = word_sub(e1, word_mul(a_lo, b_hi));
    let e3 = word_sub(e2, word_mul(a_hi, b_lo));
    return word_sub(word_mul(a_lo, b_lo), e3);
}
