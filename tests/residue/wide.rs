//! Any wide primes, from both ends of their range: every operation on random integers.

use nonius::Blocking as _;
use nonius::residue::{
    Basis, Interval, Method, Prime, Table, Vector, Width, add, compare, extend, is_zero, mul, neg, pow, sign, sub,
};
use nonius::{Device, Error};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero as _;
use proptest::prelude::*;

use crate::numbers::{devices_and_widths, root, same};

/// `large` of the largest primes and `small` of the smallest, in turns, the first given small.
fn basis(large: usize, small: usize) -> Basis {
    let all = Basis::largest_in(Width::Wide, large.max(1)).expect("a basis");
    let mut of_large = all.primes().map(Prime::value).take(large);
    let mut of_small = (1..)
        .step_by(2)
        .map(|k| (1 << 30) + k)
        .filter(|p| Prime::new(*p).is_ok());
    let mut primes = Vec::new();
    for k in 0..large.max(small) {
        primes.extend((k < small).then(|| of_small.next()).flatten());
        primes.extend(of_large.next());
    }
    Basis::new(&primes).expect("a basis")
}

/// Integers up to `bound`, of words that are drawn.
fn integers(drawn: &[(bool, Vec<u32>)], bound: &BigUint) -> Vec<BigInt> {
    let integer = |(negative, words): &(bool, Vec<u32>)| {
        let magnitude = BigUint::new(words.clone()) % (bound + 1_u32);
        BigInt::from_biguint(if *negative { Sign::Minus } else { Sign::Plus }, magnitude)
    };
    let end = BigInt::from(bound.clone());
    let ends = [BigInt::zero(), 1.into(), (-1).into(), end.clone(), -&end];
    let mut integers: Vec<BigInt> = drawn.iter().map(integer).collect();
    integers.extend(ends.into_iter().filter(|value| value.magnitude() <= bound));
    integers
}

fn check(device: &Device, basis: &Basis, drawn: &[(bool, Vec<u32>)], exponent: u32) -> Result<(), Error> {
    let table = Table::new(device, basis)?;
    let pair = |bound: &BigUint| {
        let x = integers(drawn, bound);
        let mut y = x.clone();
        y.rotate_left(1);
        Ok::<_, Error>((Vector::on(&table, &x)?, Vector::on(&table, &y)?, x, y))
    };
    let each = |f: &dyn Fn(&BigInt, &BigInt) -> BigInt, x: &[BigInt], y: &[BigInt]| -> Vec<BigInt> {
        x.iter().zip(y).map(|(x, y)| f(x, y)).collect()
    };
    let (of_x, of_y, x, y) = pair(&root(basis, 1, 2))?;
    same("x + y", &add(&of_x, &of_y)?, &each(&|x, y| x + y, &x, &y));
    same("x - y", &sub(&of_x, &of_y)?, &each(&|x, y| x - y, &x, &y));
    let order: Vec<i32> = x.iter().zip(&y).map(|(x, y)| x.cmp(y) as i32).collect();
    for method in [Method::MixedRadix, Method::Fraction] {
        assert_eq!(
            compare(&of_x, &of_y, method)?.to_host().block_on()?,
            order,
            "{method:?}"
        );
    }
    let (of_x, of_y, x, y) = pair(&root(basis, 2, 2))?;
    same("x y", &mul(&of_x, &of_y)?, &each(&|x, y| x * y, &x, &y));
    if basis.len() <= 6 {
        let ends: Vec<_> = x
            .iter()
            .zip(&y)
            .map(|(x, y)| (x.min(y).clone(), x.max(y).clone()))
            .collect();
        let intervals = Interval::from_integers(&table, &ends)?;
        let squares = intervals.mul(&intervals, Method::default())?.to_integers().block_on()?;
        for ((lower, upper), found) in ends.iter().zip(squares) {
            let products = [lower * lower, lower * upper, upper * upper];
            let ends = (products.iter().min().cloned(), products.iter().max().cloned());
            assert_eq!((Some(found.0), Some(found.1)), ends, "[{lower}, {upper}] squared");
        }
    }
    let (of_x, _, x, y) = pair(&root(basis, exponent.max(1), 1))?;
    same(
        "a power",
        &pow(&of_x, exponent)?,
        &each(&|x, _| x.pow(exponent), &x, &y),
    );
    let (of_x, _, x, y) = pair(basis.half())?;
    same("-x", &neg(&of_x)?, &each(&|x, _| -x, &x, &y));
    let larger = Table::new(device, &basis.extend(3)?)?;
    same("an extension", &extend(&of_x, &larger)?, &x);
    let signs: Vec<i32> = x.iter().map(|x| x.cmp(&BigInt::zero()) as i32).collect();
    for method in [Method::MixedRadix, Method::Fraction] {
        assert_eq!(sign(&of_x, method)?.to_host().block_on()?, signs, "{method:?}");
    }
    let zeros: Vec<u32> = x.iter().map(|x| u32::from(x.is_zero())).collect();
    assert_eq!(is_zero(&of_x)?.to_host().block_on()?, zeros);
    for x in x {
        let digits = basis.mixed_radix(&basis.residues(&x)?)?;
        let horner = |u: BigInt, (prime, digit): (Prime, &i32)| u * prime.value() + *digit;
        assert_eq!(basis.primes().zip(&digits).rev().fold(BigInt::zero(), horner), x);
        let fits = |(prime, digit): (Prime, &i32)| digit.unsigned_abs() <= prime.value() / 2;
        assert!(basis.primes().zip(&digits).all(fits), "{digits:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn wide_primes_compute_as_integers_do(
        large in 0_usize..=32,
        small in 0_usize..=32,
        drawn in proptest::collection::vec((any::<bool>(), proptest::collection::vec(any::<u32>(), 0..66)), 1..60),
        exponent in 0_u32..12,
    ) {
        let basis = basis(large, small.max(usize::from(large == 0)));
        for (device, _) in devices_and_widths().filter(|(_, width)| *width == Width::Wide) {
            let checked = check(device, &basis, &drawn, exponent);
            prop_assert!(checked.is_ok(), "{} on {}", checked.unwrap_err(), device.name());
        }
    }
}
