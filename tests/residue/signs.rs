//! Signs, comparisons and zeros, by both methods; and what is proved of the fraction.

use std::cmp::Ordering;

use nonius::device::AdapterKind;
use nonius::residue::{Method, Width, compare, is_zero, sign};
use nonius::{Blocking as _, Device, Error};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::Zero as _;

use crate::devices::{Random, say};
use crate::numbers::{COUNTS, WIDTHS, devices_and_widths, largest, numbers, vector};

const METHODS: [Method; 2] = [Method::MixedRadix, Method::Fraction];

fn number(sign: Ordering) -> i32 {
    match sign {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// Whether a driver on the CPU would leave loops before their end.
fn is_beyond_the_turns(error: &Error, device: &Device) -> bool {
    device.adapter().kind == AdapterKind::Software && matches!(error, Error::Shape { .. })
}

#[test]
fn the_sum_is_below_the_fraction_by_less_than_a_residue_a_prime() {
    let counts = || (1..=64).chain([128, 300]);
    let mut silent = [0; 2];
    for (width, count) in WIDTHS
        .into_iter()
        .flat_map(|width| counts().map(move |count| (width, count)))
    {
        let basis = largest(width, count);
        let one = BigInt::from(1) << (72 + width.bits());
        let modulus = BigInt::from(basis.modulus().clone());
        // Where the fraction is next to 0 and next to a half, to twice as far as it may be silent.
        let unit: BigInt = &modulus >> 73;
        let near: Vec<BigInt> = (0..4 * count).map(|step| &unit * step).collect();
        let half = BigInt::from(basis.half().clone());
        let mut values: Vec<BigInt> = near
            .iter()
            .flat_map(|x| [x.clone(), -x, &half - x, x - &half])
            .collect();
        values.extend(numbers(basis.half(), &mut Random::new(count), 60));
        values.retain(|x| x.magnitude() <= basis.half());
        for u in values {
            let residues = basis.residues(&u).expect("in the range");
            let sum = BigInt::from(basis.fraction(&residues).expect("a sum"));
            // 0 <= T - S < R r modulo 2^B, with T = 2^B u / M, all times M.
            let deficit: BigInt = &u * &one - sum * &modulus;
            let deficit = deficit.mod_floor(&(&one * &modulus));
            assert!(
                deficit < (&modulus * count) << width.bits(),
                "{u} modulo {count} primes, {width:?}"
            );
            let said = basis.sign_by_fraction(&residues).expect("a sign");
            match said {
                Some(sign) => assert_eq!(sign, u.cmp(&BigInt::zero()), "{u} modulo {count} primes"),
                None => {
                    silent[usize::from(width == Width::Wide)] += 1;
                    // Only what the proof allows is left open.
                    let slack: BigInt = (&modulus * count) << width.bits();
                    let from_zero = BigInt::from(u.magnitude().clone()) * &one;
                    let from_half = &modulus * (&one / 2) - &from_zero;
                    assert!(
                        from_zero < slack || from_half < slack,
                        "{u} modulo {count} primes is left open"
                    );
                }
            }
            for method in METHODS {
                assert_eq!(
                    basis.sign(&residues, method).expect("a sign"),
                    u.cmp(&BigInt::zero()),
                    "{u}, {method:?}"
                );
            }
        }
    }
    assert!(
        silent.iter().all(|silent| *silent > 1000),
        "mixed radix digits were asked {silent:?} times only"
    );
}

#[test]
fn the_fraction_speaks_of_zero_and_is_silent_at_one() {
    for basis in WIDTHS.map(|width| largest(width, 30)) {
        let said = |u: BigInt| {
            basis
                .sign_by_fraction(&basis.residues(&u).expect("in the range"))
                .expect("a sign")
        };
        assert_eq!(said(0.into()), Some(Ordering::Equal));
        let half = BigInt::from(basis.half().clone());
        assert_eq!(
            (said(1.into()), said(half.clone())),
            (None, None),
            "nearer than 2^-72 M"
        );
        assert_eq!(
            (said(&half / 2), said(-&half / 2)),
            (Some(Ordering::Greater), Some(Ordering::Less))
        );
    }
}

#[test]
fn devices_find_signs_and_zeros() {
    for (device, width) in devices_and_widths() {
        for count in COUNTS {
            let basis = largest(width, count);
            let mut values = numbers(basis.half(), &mut Random::new(count), 300);
            // A magnitude where the fraction begins to say the sign.
            let unit: BigInt = BigInt::from(basis.modulus().clone()) >> 72;
            values.extend((0..2 * count).flat_map(|step| [&unit * step, &unit * -i64::try_from(step).expect("small")]));
            let x = vector(device, &basis, &values);
            let expected: Vec<i32> = values.iter().map(|value| number(value.cmp(&BigInt::zero()))).collect();
            for method in METHODS {
                let found = sign(&x, method).expect("recorded").to_host().block_on().expect("signs");
                for ((found, expected), value) in found.iter().zip(&expected).zip(&values) {
                    assert_eq!(
                        found,
                        expected,
                        "{value}, {count} primes, {width:?}, {method:?}, {}",
                        device.name()
                    );
                }
            }
            let found = is_zero(&x).expect("recorded").to_host().block_on().expect("zeros");
            let expected: Vec<u32> = values.iter().map(|value| u32::from(value.is_zero())).collect();
            assert_eq!(found, expected, "{count} primes, {width:?}, {}", device.name());
        }
    }
}

/// Digits of so many primes take more turns of loops than a driver on the CPU may go through: refused there, right elsewhere.
#[test]
fn signs_of_many_primes_are_right_or_refused() {
    for (device, width) in devices_and_widths() {
        let basis = largest(width, 400);
        let values = numbers(basis.half(), &mut Random::new(400), 40);
        let x = vector(device, &basis, &values);
        let expected: Vec<i32> = values.iter().map(|value| number(value.cmp(&BigInt::zero()))).collect();
        for method in METHODS {
            match sign(&x, method) {
                Ok(found) => assert_eq!(
                    found.to_host().block_on().expect("signs"),
                    expected,
                    "{}",
                    device.name()
                ),
                Err(error) => assert!(is_beyond_the_turns(&error, device), "{error}"),
            }
        }
    }
}

#[test]
fn devices_compare() {
    for (device, width) in devices_and_widths() {
        for count in COUNTS {
            let basis = largest(width, count);
            let bound: BigUint = basis.half() / 2_u32;
            let x = numbers(&bound, &mut Random::new(count), 200);
            let mut y = numbers(&bound, &mut Random::new(count + 1), 200);
            // Neighbours and equals.
            for (i, near) in (0..60).zip([-1, 0, 1].into_iter().cycle()) {
                let neighbour: BigInt = &x[i] + near;
                if *neighbour.magnitude() <= bound {
                    y[i] = neighbour;
                }
            }
            let expected: Vec<i32> = x.iter().zip(&y).map(|(x, y)| number(x.cmp(y))).collect();
            let (of_x, of_y) = (vector(device, &basis, &x), vector(device, &basis, &y));
            for method in METHODS {
                let found = compare(&of_x, &of_y, method)
                    .expect("recorded")
                    .to_host()
                    .block_on()
                    .expect("signs");
                assert_eq!(
                    found,
                    expected,
                    "{count} primes, {width:?}, {method:?}, {}",
                    device.name()
                );
            }
        }
    }
}

/// So many terms that limbs would overflow if no carries were made between them. What is lost then are multiples of 2^-14 M,
/// or of 2^-12 M modulo narrow primes: magnitudes below that would get another sign. Drivers on CPUs do not go through the digits
/// of 800 primes, which small numbers need, and say so.
#[test]
fn devices_sum_many_terms() {
    for (device, width) in devices_and_widths() {
        let basis = largest(width, if width == Width::Wide { 800 } else { 300 });
        let modulus = BigInt::from(basis.modulus().clone());
        let values: Vec<BigInt> = (2..60)
            .flat_map(|bits: u32| [&modulus >> bits, -(&modulus >> bits)])
            .collect();
        let x = vector(device, &basis, &values);
        let mut expected = Vec::new();
        for value in &values {
            let said = basis.sign_by_fraction(&basis.residues(value).expect("in the range"));
            assert_eq!(said, Ok(Some(value.cmp(&BigInt::zero()))), "{width:?}");
            expected.push(number(value.cmp(&BigInt::zero())));
        }
        match sign(&x, Method::Fraction) {
            Ok(found) => assert_eq!(
                found.to_host().block_on().expect("signs"),
                expected,
                "{width:?}, {}",
                device.name()
            ),
            Err(error) => {
                assert!(is_beyond_the_turns(&error, device), "{error}");
                assert_eq!(width, Width::Wide, "{error}");
                say(&format!(
                    "signs modulo 800 primes are not tested on {}: {error}",
                    device.name()
                ));
            }
        }
    }
}
