//! What may leave the range is refused, with both numbers; and operands that do not fit together.

use nonius::residue::{Basis, Interval, Method, Prime, Table, Vector, Width, add, compare, extend, mul, pow, sub};
use nonius::{Device, Error};
use num_bigint::{BigInt, BigUint};

use crate::devices::devices;
use crate::numbers::{WIDTHS, devices_and_widths, largest, vector};

#[test]
fn bounds_are_allowed_up_to_the_end_of_the_range() {
    for (device, width) in devices_and_widths() {
        for count in [1, 2, 30] {
            let basis = largest(width, count);
            let half = BigInt::from(basis.half().clone());
            let above: BigInt = &half / 2 + 1;
            let [fits, over] = [&half / 2, above].map(|value| vector(device, &basis, &[value]));
            // The half is odd or even: twice its half fits, and twice the next number does not.
            assert!(add(&fits, &fits).is_ok() && sub(&fits, &fits).is_ok());
            assert!(compare(&fits, &fits, Method::default()).is_ok());
            for refused in [
                add(&over, &over).err(),
                sub(&over, &over).err(),
                compare(&over, &over, Method::default()).err(),
            ] {
                let Some(Error::LeavesRange {
                    bound, range, primes, ..
                }) = refused
                else {
                    panic!("{refused:?}")
                };
                assert!(bound != range && primes == count, "{bound} {range}");
                if basis.half().bits() < 40 {
                    assert_eq!((bound, range), ((over.bound() * 2_u32).to_string(), half.to_string()));
                }
            }
            for exponent in [2, 3] {
                let root = basis.half().nth_root(exponent);
                let [fits, over] = [root.clone(), root + 1_u32].map(|value| vector(device, &basis, &[value.into()]));
                assert!(pow(&fits, exponent).is_ok() && pow(&over, exponent).is_err());
                assert_eq!(
                    (mul(&fits, &fits).is_ok(), mul(&over, &over).is_err()),
                    (true, exponent == 2)
                );
            }
        }
    }
}

#[test]
fn a_huge_power_is_refused_and_not_computed() {
    let basis = Basis::largest(2).expect("a basis");
    let x = vector(&Device::host(), &basis, &[(-3).into()]);
    let Err(Error::LeavesRange { bound, .. }) = pow(&x, u32::MAX) else {
        panic!("3^(2^32 - 1) is large")
    };
    assert_eq!(bound, "at least 2^4294967295");
    let ones = vector(&Device::host(), &basis, &[(-1).into(), 0.into(), 1.into()]);
    assert!(pow(&ones, u32::MAX).is_ok());
}

#[test]
fn abbreviated_numbers_still_differ() {
    let basis = Basis::largest(30).expect("a basis");
    let above: BigUint = basis.half() + 1_u32;
    let Err(Error::LeavesRange { bound, range, .. }) = basis.residues(&above.clone().into()) else {
        panic!("above the range")
    };
    assert_eq!((bound, range), (above.to_string(), basis.half().to_string()));
    let far = above.pow(2);
    let Err(error) = basis.residues(&far.into()) else {
        panic!("above the range")
    };
    assert!(
        error.to_string().len() < 160 && error.to_string().contains("e288"),
        "{error}"
    );
}

#[test]
fn operands_that_do_not_fit_together_are_refused() {
    for (device, width) in devices_and_widths() {
        let basis = largest(width, 2);
        let [one, two] = [1, 2].map(|n| vector(device, &basis, &vec![1.into(); n]));
        let other = vector(device, &largest(width, 3), &[1.into()]);
        let [p, q] = [0, 1].map(|k| basis.primes().map(Prime::value).nth(k).expect("two"));
        let third = largest(width, 3).primes().map(Prime::value).next_back().expect("three");
        let turned = vector(device, &Basis::new(&[q, p]).expect("a basis"), &[1.into()]);
        for y in [&two, &other, &turned] {
            for refused in [
                add(&one, y).err(),
                sub(&one, y).err(),
                mul(&one, y).err(),
                compare(&one, y, Method::default()).err(),
            ] {
                assert!(matches!(refused, Some(Error::Shape { .. })), "{refused:?}");
            }
        }
        for smaller in [&[p][..], &[q, p, third]] {
            let table = Table::new(device, &Basis::new(smaller).expect("a basis")).expect("a table");
            assert!(matches!(extend(&one, &table), Err(Error::Shape { .. })), "{smaller:?}");
        }
        if !device.is_host() {
            let host = vector(&Device::host(), &basis, &[1.into()]);
            assert!(matches!(add(&one, &host), Err(Error::DeviceMismatch { .. })));
        }
        let table = Table::new(device, &basis).expect("a table");
        let over: BigInt = BigInt::from(basis.half().clone()) + 1;
        assert!(matches!(Vector::on(&table, &[over]), Err(Error::LeavesRange { .. })));
        assert!(matches!(
            Interval::from_integers(&table, &[(1.into(), 0.into())]),
            Err(Error::Shape { .. })
        ));
    }
}

#[test]
fn operands_of_two_widths_are_refused() {
    for device in devices().iter().filter(|device| device.supports_int64().is_ok()) {
        let [narrow, wide] = WIDTHS.map(|width| vector(device, &largest(width, 2), &[1.into()]));
        for (x, y) in [(&narrow, &wide), (&wide, &narrow)] {
            for refused in [add(x, y).err(), mul(x, y).err(), extend(x, y.table()).err()] {
                assert!(matches!(refused, Some(Error::Shape { .. })), "{refused:?}");
            }
        }
    }
}

#[test]
fn wide_primes_take_products_of_64_bits() {
    let basis = largest(Width::Wide, 2);
    let mut features = 0;
    for device in devices() {
        let table = Table::new(device, &basis);
        let vector = Vector::from_integers(device, &basis, &[1.into()]);
        let feature = device
            .adapter()
            .features
            .iter()
            .find(|(name, _)| *name == "shader-int64");
        // The host has all features, and lists none.
        if feature.is_none_or(|(_, has)| *has) {
            features += 1;
            assert!(table.is_ok() && vector.is_ok(), "{}", device.name());
            continue;
        }
        for refused in [table.err(), vector.err(), device.supports_int64().err()] {
            let Some(Error::MissingFeature {
                feature, device: name, ..
            }) = &refused
            else {
                panic!("{refused:?}")
            };
            assert_eq!((*feature, name.as_str()), ("shader-int64", device.name()));
        }
    }
    assert!(features > 0, "the host has it");
}
