//! Integers from residues modulo many primes, by a tree of products.

use num_bigint::{BigInt, BigUint};
use num_traits::One as _;

use crate::residue::Prime;

/// What the Chinese remainder theorem needs of primes: u ≡ Σ sₖ M/mₖ (mod M) with sₖ = uₖ (M/mₖ)⁻¹ mod mₖ.
///
/// The sum is taken in a tree, a node being (left sum) · (right product) + (right sum) · (left product), so that factors of
/// a product are equally long: as fast as products of long numbers are, where mixed radix digits take r²/2 steps that wait
/// for each other (von zur Gathen and Gerhard 2013, section 10.3). Cost: r² products modulo primes once.
#[derive(Debug)]
pub(super) struct Remainders {
    primes: Vec<Prime>,
    /// (M/mₖ)⁻¹ mod mₖ, out of the form: the product with a residue in the form is out of it.
    cofactors: Vec<u32>,
    /// Products of 1, 2, 4, … neighbours; the last level has one.
    levels: Vec<Vec<BigUint>>,
}

impl Remainders {
    /// Of distinct primes; M = 1 for none.
    pub(super) fn new(primes: &[Prime]) -> Self {
        let cofactor = |prime: &Prime| {
            let others = primes.iter().filter(|other| *other != prime);
            let product = others.fold(prime.one(), |product, other| {
                prime.mul(product, prime.enter(other.value() % prime.value()))
            });
            let inverse = prime.invert(product).unwrap_or_else(|| unreachable!("distinct primes"));
            prime.leave(inverse)
        };
        let mut levels = vec![
            primes
                .iter()
                .map(|prime| BigUint::from(prime.value()))
                .collect::<Vec<_>>(),
        ];
        while levels[levels.len() - 1].len() > 1 {
            let below = &levels[levels.len() - 1];
            levels.push(below.chunks(2).map(|pair| pair.iter().product()).collect());
        }
        if primes.is_empty() {
            levels.push(vec![BigUint::one()]);
        }
        Self {
            cofactors: primes.iter().map(cofactor).collect(),
            primes: primes.to_vec(),
            levels,
        }
    }

    /// M.
    pub(super) fn modulus(&self) -> &BigUint {
        &self.levels[self.levels.len() - 1][0]
    }

    /// Whether every |u| ≤ `bound` is told apart.
    pub(super) fn holds(&self, bound: &BigUint) -> bool {
        *bound <= self.modulus() >> 1
    }

    /// The integer with −⌊M/2⌋ ≤ u ≤ ⌊M/2⌋ that has these residues, in Montgomery's form.
    pub(super) fn integer(&self, residues: impl Iterator<Item = u32>) -> BigInt {
        let terms = self.primes.iter().zip(&self.cofactors).zip(residues);
        let mut sums: Vec<BigUint> = terms
            .map(|((prime, cofactor), residue)| prime.mul(residue, *cofactor).into())
            .collect();
        for products in &self.levels[..self.levels.len() - 1] {
            let pairs = sums.chunks(2).zip(products.chunks(2));
            sums = pairs
                .map(|(sums, products)| match (sums, products) {
                    ([left, right], [of_left, of_right]) => left * of_right + right * of_left,
                    _ => sums[0].clone(),
                })
                .collect();
        }
        let u = sums.pop().unwrap_or_default() % self.modulus();
        if u > self.modulus() >> 1 {
            return BigInt::from(u) - BigInt::from(self.modulus().clone());
        }
        u.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residue::Basis;

    #[test]
    fn integers_are_those_of_mixed_radix_digits() {
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 33] {
            let basis = Basis::largest(count).expect("a basis");
            let primes: Vec<Prime> = basis.primes().collect();
            let remainders = Remainders::new(&primes);
            assert_eq!(remainders.modulus(), basis.modulus());
            let half = BigInt::from(basis.half().clone());
            let ends = [BigInt::from(0), 1.into(), half.clone(), &half / 3, &half / 7];
            for u in ends.iter().flat_map(|end| [end.clone(), -end]) {
                let residues = basis.residues(&u).expect("in the range");
                assert_eq!(remainders.integer(residues.into_iter()), u, "{count} primes");
            }
            assert!(remainders.holds(basis.half()) && !remainders.holds(&(basis.half() + 1_u32)));
        }
        assert_eq!(Remainders::new(&[]).integer(std::iter::empty()), 0.into());
    }
}
