//! Bases, and single integers in them.

use nonius::Error;
use nonius::residue::{Basis, Prime, Width};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _};
use proptest::prelude::*;

use crate::devices::Random;
use crate::numbers::{COUNTS, WIDTHS, largest, numbers};

/// Digits by dividing big integers: u = v₁ + m₁(…), |v| ≤ m/2.
fn divided(basis: &Basis, u: &BigInt) -> Vec<i32> {
    let mut rest = u.clone();
    let mut digits = Vec::new();
    for prime in basis.primes() {
        let p = BigInt::from(prime.value());
        let mut digit = rest.mod_floor(&p);
        if &digit * 2 > p {
            digit -= &p;
        }
        rest = (rest - &digit) / &p;
        digits.push(i32::try_from(digit).expect("below 2^30"));
    }
    assert!(rest == 0.into(), "{u} is not in the range");
    digits
}

#[test]
fn digits_are_those_of_division() {
    // A basis that is not descending, with primes far apart, is one too.
    let odd = Basis::new(&[3, 5, 7, 257, 65_521, 32_771, 65_519]).expect("a basis");
    // From the smallest wide prime to the largest, and back.
    let far = Basis::new(&[1_073_741_827, 2_147_483_647, 1_073_741_831]).expect("a basis");
    let of_width = |width| COUNTS.map(|count| largest(width, count));
    for basis in WIDTHS.map(of_width).iter().flatten().chain([&odd, &far]) {
        for u in numbers(basis.half(), &mut Random::new(1), 100) {
            let residues = basis.residues(&u).expect("in the range");
            let digits = basis.mixed_radix(&residues).expect("digits");
            assert_eq!(digits, divided(basis, &u), "{u} in {basis:?}");
            assert_eq!(basis.integer(&residues).expect("an integer"), u);
        }
    }
}

#[test]
fn the_formulas_of_the_paper_hold_in_small_numbers() {
    // All numbers of M = 105, by hand in two cases: 52 = 1 + 3 (2 + 5 * 3), -52 = -1 + 3 (-2 + 5 * -3).
    let basis = Basis::new(&[3, 5, 7]).expect("a basis");
    for u in -52..=52_i32 {
        let residues = basis.residues(&u.into()).expect("in the range");
        for (prime, residue) in basis.primes().zip(&residues) {
            assert_eq!(
                i64::from(prime.leave(*residue)),
                i64::from(u).rem_euclid(prime.value().into())
            );
        }
        let digits = basis.mixed_radix(&residues).expect("digits");
        assert_eq!(digits[0] + 3 * (digits[1] + 5 * digits[2]), u);
        assert!(
            digits[0].abs() <= 1 && digits[1].abs() <= 2 && digits[2].abs() <= 3,
            "{digits:?}"
        );
    }
    let digits = |u: i32| {
        basis
            .mixed_radix(&basis.residues(&u.into()).expect("in the range"))
            .expect("digits")
    };
    assert_eq!((digits(52), digits(-52)), (vec![1, 2, 3], vec![-1, -2, -3]));
}

#[test]
fn malformed_bases_are_refused() {
    for (primes, reason) in [
        (vec![], "no primes"),
        (vec![65_521, 65_519, 65_521], "65521 is given twice"),
        (vec![65_521, 65_520], "65520 is not an odd prime"),
        (vec![2], "2 is not an odd prime"),
        (vec![65_537], "65537 is not an odd prime"),
        (vec![0], "0 is not an odd prime"),
        (vec![1], "1 is not an odd prime"),
        (vec![u32::MAX], "not an odd prime"),
        (vec![65_521, 32_749], "32749 comes after 65521"),
        (vec![65_521, 2_147_483_647], "65521 and 2147483647 are of two widths"),
        (vec![2_147_483_647, 65_521], "2147483647 and 65521 are of two widths"),
        (vec![2_147_483_647; 2], "2147483647 is given twice"),
        (vec![2_147_483_645], "2147483645 is not an odd prime"),
        // It passes Miller and Rabin's test for the bases 2, 3 and 5.
        (vec![1_157_839_381], "1157839381 is not an odd prime"),
        (vec![1_073_741_789], "1073741789 is not an odd prime"),
        (vec![2_147_483_659], "2147483659 is not an odd prime"),
    ] {
        let Err(Error::Basis { reason: found }) = Basis::new(&primes) else {
            panic!("{primes:?} is no basis")
        };
        assert!(found.contains(reason), "{found}");
    }
    for (width, most) in [(Width::Narrow, 3030), (Width::Wide, 4096)] {
        for count in [0, most + 1, usize::MAX] {
            let refused = Basis::largest_in(width, count);
            assert!(matches!(refused, Err(Error::Basis { .. })), "{count}");
        }
        let all = largest(width, most);
        assert_eq!((all.len(), all.width()), (most, width));
        assert!(matches!(all.extend(1), Err(Error::Basis { .. })));
        // As much as documented, and not more.
        let bits = u32::try_from(all.half().bits() - 1).expect("few");
        assert_eq!(bits, if width == Width::Wide { 126_974 } else { 47_116 });
        let bound = BigUint::from(2_u32).pow(bits);
        assert_eq!(Basis::for_bound_in(width, &bound).expect("enough"), all);
        let beyond = Basis::for_bound_in(width, &(bound << 1));
        assert!(matches!(beyond, Err(Error::Basis { .. })));
        // One prime that is not among the largest is one more than the largest.
        let other = [3, 1_073_741_827][usize::from(width == Width::Wide)];
        let primes = [other].into_iter().chain(all.primes().map(Prime::value));
        let one_more = Basis::new(&primes.collect::<Vec<_>>());
        assert_eq!(one_more.is_err(), width == Width::Wide, "{one_more:?}");
    }
}

#[test]
fn bases_are_as_large_as_they_must_be_and_no_larger() {
    for (width, count) in WIDTHS.into_iter().flat_map(|width| COUNTS.map(|count| (width, count))) {
        let basis = largest(width, count);
        assert_eq!((basis.len(), basis.width()), (count, width));
        assert_eq!(Basis::for_bound_in(width, basis.half()).expect("enough"), basis);
        let more = Basis::for_bound_in(width, &(basis.half() + 1_u32)).expect("enough");
        assert_eq!(more, basis.extend(1).expect("one more"));
        assert_eq!(more, basis.extend_for_bound(&(basis.half() + 1_u32)).expect("one more"));
        assert_eq!(basis.extend_for_bound(basis.half()).expect("the same"), basis);
    }
    for width in WIDTHS {
        assert_eq!(Basis::for_bound_in(width, &0_u32.into()).expect("one").len(), 1);
    }
    let bound = BigUint::one() << 100;
    assert_eq!(
        Basis::for_bound(&bound).expect("enough"),
        Basis::for_bound_in(Width::Narrow, &bound).expect("enough")
    );
    assert_eq!(Basis::largest(7).expect("enough"), largest(Width::Narrow, 7));
    let own = Basis::new(&[65_519, 40_009]).expect("a basis");
    let primes: Vec<u32> = own
        .extend(2)
        .expect("two more")
        .primes()
        .map(|prime| prime.value())
        .collect();
    assert_eq!(primes, [65_519, 40_009, 65_521, 65_497]);
}

#[test]
fn residues_that_do_not_fit_are_refused() {
    for basis in WIDTHS.map(|width| largest(width, 2)) {
        let primes: Vec<u32> = basis.primes().map(Prime::value).collect();
        for residues in [
            vec![1],
            vec![1, 2, 3],
            vec![primes[0], 0],
            vec![0, primes[1]],
            vec![u32::MAX, 0],
        ] {
            assert!(
                matches!(basis.integer(&residues), Err(Error::Shape { .. })),
                "{residues:?}"
            );
            assert!(
                matches!(basis.fraction(&residues), Err(Error::Shape { .. })),
                "{residues:?}"
            );
            assert!(
                matches!(basis.mixed_radix(&residues), Err(Error::Shape { .. })),
                "{residues:?}"
            );
        }
        let outside: BigInt = BigInt::from(basis.half().clone()) + 1;
        for u in [outside.clone(), -outside] {
            assert!(matches!(basis.residues(&u), Err(Error::LeavesRange { .. })), "{u}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn arithmetic_modulo_primes_is_that_of_integers(
        x in proptest::collection::vec(any::<u32>(), 1..40),
        y in proptest::collection::vec(any::<u32>(), 1..40),
        negative in any::<bool>(),
        exponent in 0_u32..4,
        wide in any::<bool>(),
    ) {
        let width = WIDTHS[usize::from(wide)];
        let (x, y) = (BigInt::from(BigUint::new(x)), BigInt::from(BigUint::new(y)));
        let y = if negative { -y } else { y };
        let results = [&x + &y, &x - &y, &x * &y, y.pow(exponent)];
        let bound = results.iter().map(|result| result.abs().magnitude().clone()).max().expect("four");
        let bound = bound.max(y.magnitude().clone()).max(x.magnitude().clone());
        let basis = Basis::for_bound_in(width, &bound).expect("enough");
        let (of_x, of_y) = (basis.residues(&x).expect("held"), basis.residues(&y).expect("held"));
        let both = || basis.primes().zip(of_x.iter().zip(&of_y));
        let found: [Vec<u32>; 4] = [
            both().map(|(prime, (x, y))| prime.add(*x, *y)).collect(),
            both().map(|(prime, (x, y))| prime.sub(*x, *y)).collect(),
            both().map(|(prime, (x, y))| prime.mul(*x, *y)).collect(),
            both().map(|(prime, (_, y))| prime.pow(*y, exponent)).collect(),
        ];
        for (found, expected) in found.iter().zip(&results) {
            prop_assert_eq!(&basis.integer(found).expect("an integer"), expected);
        }
    }
}
