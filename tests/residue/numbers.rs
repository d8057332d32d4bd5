//! Big integers to test with: the edges of a range, and random ones of all lengths.

use nonius::residue::{Basis, Vector, Width};
use nonius::{Blocking as _, Device, Error};
use num_bigint::{BigInt, BigUint, Sign};

use crate::devices::{Random, devices, say};

/// Numbers of primes: one, some, both sides of what is written out (8), the paper's 6 and 30, and many.
pub(crate) const COUNTS: [usize; 9] = [1, 2, 3, 6, 8, 9, 30, 47, 64];

pub(crate) const WIDTHS: [Width; 2] = [Width::Narrow, Width::Wide];

/// Every device with every width that it computes with; what an adapter lacks is said, by name.
pub(crate) fn devices_and_widths() -> impl Iterator<Item = (&'static Device, Width)> {
    let pairs = devices().iter().flat_map(|device| WIDTHS.map(|width| (device, width)));
    pairs.filter(|(device, width)| match (width, device.supports_int64()) {
        (Width::Narrow, _) | (Width::Wide, Ok(())) => true,
        (Width::Wide, Err(error @ Error::MissingFeature { .. })) => {
            say(&format!("not tested with wide primes: {error}"));
            false
        }
        (Width::Wide, Err(error)) => panic!("{error}"),
    })
}

pub(crate) fn largest(width: Width, count: usize) -> Basis {
    Basis::largest_in(width, count).expect("a basis")
}

/// 0, ±1, ±2, both ends of ±`bound` and what is next to them, its halves and thirds, and random ones.
pub(crate) fn numbers(bound: &BigUint, random: &mut Random, count: usize) -> Vec<BigInt> {
    let bound = BigInt::from(bound.clone());
    let mut numbers: Vec<BigInt> = vec![0.into()];
    for near in [0, 1, 2, 100] {
        for at in [BigInt::from(0), bound.clone(), &bound / 2, &bound / 3] {
            numbers.extend([&at + near, &at - near, -&at + near, -&at - near]);
        }
    }
    numbers.retain(|number| number.magnitude() <= bound.magnitude());
    while numbers.len() < count {
        let bits = random.below(usize::try_from(bound.bits()).expect("few bits") + 1);
        let words: Vec<u32> = (0..bits.div_ceil(32))
            .map(|_| u32::try_from(random.bits() >> 32).expect("32 bits"))
            .collect();
        let magnitude = BigUint::new(words) % (bound.magnitude() + 1_u32);
        let sign = if random.below(2) == 0 { Sign::Plus } else { Sign::Minus };
        numbers.push(BigInt::from_biguint(sign, magnitude));
    }
    // Neighbours in a vector shall differ in kind.
    for i in (1..numbers.len()).rev() {
        numbers.swap(i, random.below(i + 1));
    }
    numbers
}

/// The largest bound whose `power`-th power, times `factor`, is in the range.
pub(crate) fn root(basis: &Basis, power: u32, factor: u32) -> BigUint {
    (basis.half() / factor).nth_root(power)
}

pub(crate) fn vector(device: &Device, basis: &Basis, values: &[BigInt]) -> Vector {
    Vector::from_integers(device, basis, values).unwrap_or_else(|error| panic!("{}: {error}", device.name()))
}

/// Fails where an integer differs, and says which.
pub(crate) fn same(what: &str, vector: &Vector, expected: &[BigInt]) {
    let found = vector
        .to_integers()
        .block_on()
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(
            found,
            expected,
            "{what} on {}, {} primes, element {i}",
            vector.device().name(),
            vector.basis().len()
        );
        assert!(
            found.magnitude() <= vector.bound(),
            "{what}: {found} is above its bound {}",
            vector.bound()
        );
    }
}
