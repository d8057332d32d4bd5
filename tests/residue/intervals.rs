//! Intervals by the paper's rules, as written there, on big integers.

use nonius::Blocking as _;
use nonius::residue::{Interval, Method, Table};
use num_bigint::{BigInt, BigUint};
use num_traits::Zero as _;

use crate::devices::Random;
use crate::numbers::{COUNTS, devices_and_widths, largest, numbers, root, vector};

type Ends = (BigInt, BigInt);

fn product(x: &Ends, y: &Ends) -> Ends {
    let products = [&x.0 * &y.0, &x.0 * &y.1, &x.1 * &y.0, &x.1 * &y.1];
    let smallest = products.iter().min().cloned().expect("four");
    (smallest, products.iter().max().cloned().expect("four"))
}

/// Suzuki and Murao 2010, section 3.2, case by case.
fn power(x: &Ends, n: u32) -> Ends {
    let ends = (x.0.pow(n), x.1.pow(n));
    if n % 2 == 1 {
        ends
    } else if x.1 < BigInt::zero() {
        (ends.1, ends.0)
    } else if x.0 <= BigInt::zero() {
        (if n == 0 { 1.into() } else { 0.into() }, ends.0.max(ends.1))
    } else {
        ends
    }
}

/// Intervals of all kinds: below, above and around 0, points, and with 0 at an end.
fn intervals(bound: &BigUint, random: &mut Random, n: usize) -> Vec<Ends> {
    let (x, y) = (numbers(bound, random, n), numbers(bound, random, n));
    let mut ends: Vec<Ends> = x
        .into_iter()
        .zip(y)
        .map(|(x, y)| if x <= y { (x, y) } else { (y, x) })
        .collect();
    for (i, (lower, upper)) in ends.iter_mut().enumerate() {
        match i % 5 {
            0 => *upper = lower.clone(),
            1 if *lower <= BigInt::zero() => *upper = BigInt::zero(),
            2 if *upper >= BigInt::zero() => *lower = BigInt::zero(),
            3 => *upper = -&*lower,
            _ => {}
        }
        if lower > upper {
            std::mem::swap(lower, upper);
        }
    }
    ends
}

fn same(what: &str, count: usize, found: &Interval, expected: &[Ends]) {
    let device = found.lower().device().name();
    let found = found
        .to_integers()
        .block_on()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{what} {i}, {count} primes, {device}");
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn intervals_are_those_of_big_integers() {
    for (device, width) in devices_and_widths() {
        // Drivers that compile for CPUs take long over more.
        for count in COUNTS.into_iter().filter(|count| *count <= 30) {
            let basis = largest(width, count);
            let table = Table::new(device, &basis).expect("a table");
            let random = &mut Random::new(count);
            let mut pair = |bound: &BigUint| {
                let [x, y] = [(); 2].map(|()| intervals(bound, random, 150));
                let [of_x, of_y] = [&x, &y].map(|ends| Interval::from_integers(&table, ends).expect("held"));
                (of_x, of_y, x, y)
            };
            let each = |f: &dyn Fn(&Ends, &Ends) -> Ends, x: &[Ends], y: &[Ends]| -> Vec<Ends> {
                x.iter().zip(y).map(|(x, y)| f(x, y)).collect()
            };
            let (of_x, of_y, x, y) = pair(&root(&basis, 1, 2));
            let sums = each(&|x, y| (&x.0 + &y.0, &x.1 + &y.1), &x, &y);
            same("sum", count, &of_x.add(&of_y).expect("held"), &sums);
            let differences = each(&|x, y| (&x.0 - &y.1, &x.1 - &y.0), &x, &y);
            same("difference", count, &of_x.sub(&of_y).expect("held"), &differences);
            for method in [Method::MixedRadix, Method::Fraction] {
                let (of_x, of_y, x, y) = pair(&root(&basis, 2, 2));
                same(
                    "product",
                    count,
                    &of_x.mul(&of_y, method).expect("held"),
                    &each(&product, &x, &y),
                );
                for exponent in [0, 1, 2, 3, 4, 9] {
                    let (of_x, _, x, y) = pair(&root(&basis, exponent.max(1), 2));
                    let powers = each(&|x, _| power(x, exponent), &x, &y);
                    same(
                        &format!("power {exponent}"),
                        count,
                        &of_x.pow(exponent, method).expect("held"),
                        &powers,
                    );
                }
            }
        }
    }
}

#[test]
fn ends_in_the_wrong_order_are_found() {
    for (device, width) in devices_and_widths() {
        let basis = largest(width, 7);
        let ends = |values: [i32; 3]| vector(device, &basis, &values.map(BigInt::from));
        let new = |lower, upper| Interval::new(ends(lower), ends(upper), Method::default()).block_on();
        assert!(new([-3, 0, 5], [-3, 1, 7]).is_ok());
        let error = new([-3, 0, 5], [-3, 1, 4]).expect_err("5 is above 4");
        assert!(error.to_string().contains("interval 2"), "{error}");
    }
}

#[test]
fn products_need_the_room_of_their_differences() {
    for (device, width) in devices_and_widths() {
        let basis = largest(width, 4);
        let table = Table::new(device, &basis).expect("a table");
        let fits = BigInt::from((basis.half() / 2_u32).sqrt());
        let of = |end: BigInt| Interval::from_integers(&table, &[(-&end, end)]).expect("held");
        let (fits, over) = (of(fits.clone()), of(fits + 1));
        assert!(fits.mul(&fits, Method::default()).is_ok());
        assert!(over.mul(&over, Method::default()).is_err());
    }
}
