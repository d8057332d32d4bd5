// a + b = s + e exactly. Knuth's for any a, b (6 operations); Dekker's where |a| >= |b| or a = 0 (3 operations).
fn two_sum(a: Word, b: Word) -> WordPair {
    let s = word_add(a, b);
    let b_part = word_sub(s, a);
    let a_part = word_sub(s, b_part);
    return WordPair(s, word_add(word_sub(a, a_part), word_sub(b, b_part)));
}

fn fast_two_sum(a: Word, b: Word) -> WordPair {
    let s = word_add(a, b);
    return WordPair(s, word_sub(b, word_sub(s, a)));
}
