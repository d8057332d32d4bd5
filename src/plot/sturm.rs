//! Whether a polynomial in one variable has a zero between 0 and 1, exactly.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, Zero};

use crate::residue::{Prime, residue};

/// Halvings before it is asked whether there may be a multiple zero, which no halving tells from a near miss.
const HALVINGS: u32 = 5;

/// Halvings where there is none: enough for complex zeros within 2⁻⁶⁴ of the line.
const SEPARATING_HALVINGS: u32 = 64;

/// Whether Σ cₖ tᵏ has a zero in the closed interval [0, 1]; the polynomial 0 has.
///
/// Signs at the ends decide most. Where both are the same, Descartes' rule is asked of the interval and of its halves. It
/// tells in the end unless there is a multiple zero, and that there is none, one prime proves. Else Sturm's sequence counts
/// the zeros without their multiplicities (Basu, Pollack and Roy 2006, theorem 2.62): it multiplies long numbers, where
/// halving only adds, and takes a hundred times as long.
pub(super) fn has_zero_in_unit(coefficients: &[BigInt]) -> bool {
    let Some(top) = coefficients.iter().rposition(|c| !c.is_zero()) else {
        return true;
    };
    let p = &coefficients[..=top];
    let ends = signs_at_ends(p);
    match ends {
        [Sign::NoSign, _] | [_, Sign::NoSign] => return true,
        [first, second] if first != second => return true,
        _ => {}
    }
    if let Some(known) = by_descartes(p, HALVINGS) {
        return known;
    }
    if is_squarefree(p)
        && let Some(known) = by_descartes(p, SEPARATING_HALVINGS)
    {
        return known;
    }
    by_sturm(p)
}

/// Whether p, which is not 0 at 0 and 1, is 0 between them, for any p.
fn by_sturm(p: &[BigInt]) -> bool {
    let (mut at_zero, mut at_one) = (Vec::new(), Vec::new());
    let (mut last, mut next) = (p.to_vec(), derivative(p));
    let mut note = |p: &[BigInt]| {
        let [first, second] = signs_at_ends(p);
        at_zero.push(first);
        at_one.push(second);
    };
    note(&last);
    while !next.is_empty() {
        note(&next);
        let remainder = negated_remainder(last, &next);
        last = next;
        next = remainder;
    }
    variations_of(at_zero.into_iter()) != variations_of(at_one.into_iter())
}

/// Whether p has no multiple zero, proved modulo one prime: where the prime does not divide the leading coefficient, p and p′
/// have a common divisor modulo it if they have one at all. False says nothing: of polynomials without multiple zeros it
/// is said of about one in 2¹⁶.
fn is_squarefree(p: &[BigInt]) -> bool {
    // The largest below 2¹⁶, and larger than any degree.
    let prime = Prime::new(65_521).unwrap_or_else(|_| unreachable!("a prime"));
    let of = |p: &[BigInt]| -> Vec<u32> { p.iter().map(|c| residue(prime, c)).collect() };
    let (mut a, mut b) = (of(p), of(&derivative(p)));
    if a.last().is_none_or(|lead| *lead == 0) {
        return false;
    }
    // Euclid's algorithm.
    loop {
        while b.pop_if(|c| *c == 0).is_some() {}
        let Some(inverse) = b.last().and_then(|lead| prime.invert(*lead)) else {
            return a.len() == 1;
        };
        while a.len() >= b.len() {
            let shift = a.len() - b.len();
            let factor = a.last().map_or(0, |lead| prime.mul(*lead, inverse));
            for (c, of_b) in a[shift..].iter_mut().zip(&b) {
                *c = prime.sub(*c, prime.mul(factor, *of_b));
            }
            a.pop();
        }
        std::mem::swap(&mut a, &mut b);
    }
}

/// Whether p, which is not 0 at 0 and 1, is 0 between them; none if that is not known after so many halvings, as with a
/// double zero. The changes of sign in the coefficients of (1 + t)ⁿ p(1/(1 + t)) are an even number more than the zeros, so
/// none and one are certain (Descartes' rule for t > 0, and Vincent's theorem: Collins and Akritas 1976).
fn by_descartes(p: &[BigInt], halvings: u32) -> Option<bool> {
    match variations(&from_zero_to_infinity(p)) {
        0 => return Some(false),
        1 => return Some(true),
        _ if halvings == 0 => return None,
        _ => {}
    }
    // 2ⁿ p(t/2), and its part beyond the middle.
    let degree = p.len() - 1;
    let low: Vec<BigInt> = p.iter().enumerate().map(|(k, c)| c << (degree - k)).collect();
    let mut high = low.clone();
    shift_by_one(&mut high);
    if high[0].is_zero() {
        return Some(true);
    }
    match [low, high].map(|half| by_descartes(&half, halvings - 1)) {
        [Some(true), _] | [_, Some(true)] => Some(true),
        [Some(false), Some(false)] => Some(false),
        _ => None,
    }
}

fn signs_at_ends(p: &[BigInt]) -> [Sign; 2] {
    let zero = p.first().map_or(Sign::NoSign, BigInt::sign);
    [zero, p.iter().sum::<BigInt>().sign()]
}

/// (1 + t)ⁿ p(1/(1 + t)): t from ∞ to 0 is what [0, 1] was.
fn from_zero_to_infinity(p: &[BigInt]) -> Vec<BigInt> {
    let mut q: Vec<BigInt> = p.iter().rev().cloned().collect();
    shift_by_one(&mut q);
    q
}

/// p(t + 1).
fn shift_by_one(p: &mut [BigInt]) {
    let last = p.len() - 1;
    for begin in 0..last {
        for k in (begin..last).rev() {
            let (low, high) = p.split_at_mut(k + 1);
            low[k] += &high[0];
        }
    }
}

fn derivative(p: &[BigInt]) -> Vec<BigInt> {
    let powers = p.iter().enumerate().skip(1);
    powers.map(|(k, c)| c * k).collect()
}

/// A positive multiple of −(a mod b), of coefficients without a common factor; empty for 0. The leading coefficient of b
/// is not 0, and the degree of a is not below that of b.
fn negated_remainder(mut a: Vec<BigInt>, b: &[BigInt]) -> Vec<BigInt> {
    let top = b.len() - 1;
    let lead = &b[top];
    let magnitude = lead.abs();
    while a.len() > top {
        // |lead| a − (± a_n t^(n − m)) b, so that a is only ever multiplied by positive numbers.
        let Some(head) = a.pop() else { break };
        let head = if lead.is_negative() { -head } else { head };
        let shift = a.len() - top;
        for (k, c) in a.iter_mut().enumerate() {
            *c *= &magnitude;
            if let Some(of_b) = k.checked_sub(shift).map(|k| &b[k]) {
                *c -= &head * of_b;
            }
        }
    }
    while a.pop_if(|c| c.is_zero()).is_some() {}
    let content = a.iter().fold(BigInt::zero(), |all, c| all.gcd(c));
    for c in &mut a {
        *c /= -&content;
    }
    a
}

fn variations(coefficients: &[BigInt]) -> usize {
    variations_of(coefficients.iter().map(BigInt::sign))
}

/// Changes of sign, zeros left out.
fn variations_of(signs: impl Iterator<Item = Sign>) -> usize {
    let signs: Vec<Sign> = signs.filter(|sign| *sign != Sign::NoSign).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Π (q t − p) of fractions p/q, times t² + 1 and a sign.
    fn with_zeros(zeros: &[(i64, i64)], factors: &[&[i64]]) -> Vec<BigInt> {
        let linear = zeros.iter().map(|(p, q)| vec![BigInt::from(-p), BigInt::from(*q)]);
        let others = factors
            .iter()
            .map(|factor| factor.iter().map(|c| BigInt::from(*c)).collect());
        linear
            .chain(others)
            .fold(vec![BigInt::from(1)], |a: Vec<BigInt>, b| times(&a, &b))
    }

    fn times(a: &[BigInt], b: &[BigInt]) -> Vec<BigInt> {
        let mut product = vec![BigInt::zero(); a.len() + b.len() - 1];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        product
    }

    #[test]
    fn zeros_are_found_where_they_are() {
        let fractions: Vec<(i64, i64)> = (-3..=10)
            .map(|p| (p, 7))
            .chain([(1, 1_000_000), (999_999, 1_000_000)])
            .collect();
        let rest: [&[&[i64]]; 5] = [
            &[],
            &[&[1, 0, 1]],
            &[&[-1]],
            // Complex zeros near 1/2, for which Descartes' rule counts two: (2t − 1)² + 10⁻⁴, times 10⁴.
            &[&[10_001, -40_000, 40_000]],
            &[&[1, 1, 1, 1, 1], &[-3, 0, 1]],
        ];
        for rest in rest {
            for &a in &fractions {
                for &b in &fractions {
                    for zeros in [&[a][..], &[a, b], &[a, a, b, b], &[a, b, b], &[]] {
                        let p = with_zeros(zeros, rest);
                        let expected = zeros.iter().any(|(p, q)| *p >= 0 && p <= q);
                        assert_eq!(has_zero_in_unit(&p), expected, "zeros {zeros:?} of {p:?}");
                    }
                }
            }
        }
    }

    /// Complex zeros ever nearer to the line, from where halving tells them from a double zero to where it does not; and
    /// double zeros, which only Sturm's sequence finds.
    #[test]
    fn near_misses_are_told_from_double_zeros() {
        for (p, q) in [(1_i64, 2_i64), (1, 3), (355, 1130), (-1, 3), (4, 3), (999, 1000)] {
            let square = with_zeros(&[(p, q), (p, q)], &[]);
            let within = p > 0 && p < q;
            for bits in (0..160).step_by(9) {
                // (q t − p)² 2^bits ± 1.
                for by in [-1, 0, 1] {
                    let mut near: Vec<BigInt> = square.iter().map(|c| c << bits).collect();
                    near[0] += by;
                    for factor in [&[1_i64][..], &[-7], &[3, 0, 1], &[5, -1]] {
                        let factor: Vec<BigInt> = factor.iter().map(|c| BigInt::from(*c)).collect();
                        let product = times(&near, &factor);
                        let found = has_zero_in_unit(&product);
                        if signs_at_ends(&product).contains(&Sign::NoSign) {
                            assert!(found, "{product:?}");
                            continue;
                        }
                        assert_eq!(
                            found,
                            by_sturm(&product),
                            "(({q} t - {p})^2 2^{bits} + {by}) {factor:?}"
                        );
                        // An end of the unit interval is farther than what is added moves a zero.
                        if bits > 40 {
                            assert_eq!(found, within && by < 1, "(({q} t - {p})^2 2^{bits} + {by}) {factor:?}");
                        }
                    }
                    assert_eq!(is_squarefree(&near), by != 0, "({q} t - {p})^2 2^{bits} + {by}");
                }
            }
        }
    }

    /// The prime itself as a leading coefficient, and as a discriminant.
    #[test]
    fn what_a_prime_does_not_prove_is_not_said() {
        let of = |c: &[i64]| is_squarefree(&c.iter().map(|c| BigInt::from(*c)).collect::<Vec<_>>());
        assert!(of(&[1, 1]) && of(&[-2, 0, 1]) && of(&[0, 1]) && of(&[5]));
        assert!(!of(&[1, 2, 1]) && !of(&[0, 0, 1]) && !of(&[-1, 3, -3, 1]));
        assert!(!of(&[1, 3, 65_521]));
        // t² − 2·65521 is squarefree, and t² modulo the prime.
        assert!(!of(&[-131_042, 0, 1]));
        assert!(!has_zero_in_unit(&[-131_042, 0, 1].map(BigInt::from)));
    }

    #[test]
    fn trifles() {
        let of = |c: &[i64]| has_zero_in_unit(&c.iter().map(|c| BigInt::from(*c)).collect::<Vec<_>>());
        assert!(of(&[]) && of(&[0]) && of(&[0, 0]) && of(&[0, 5]) && of(&[-1, 2, 0, 0]));
        assert!(!of(&[3]) && !of(&[-3, 0, 0]) && !of(&[1, 1]) && !of(&[-2, 1, 0]));
    }
}
