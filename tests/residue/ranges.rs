//! What may leave the range is refused, with both numbers; and operands that do not fit together.

use nonius::residue::{Basis, Interval, Method, Table, Vector, add, compare, extend, mul, pow, sub};
use nonius::{Device, Error};
use num_bigint::{BigInt, BigUint};

use crate::devices::devices;
use crate::numbers::vector;

#[test]
fn bounds_are_allowed_up_to_the_end_of_the_range() {
    for device in devices() {
        for count in [1, 2, 30] {
            let basis = Basis::largest(count).expect("a basis");
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
                if count < 3 {
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
    for device in devices() {
        let basis = Basis::largest(2).expect("a basis");
        let [one, two] = [1, 2].map(|n| vector(device, &basis, &vec![1.into(); n]));
        let other = vector(device, &Basis::largest(3).expect("a basis"), &[1.into()]);
        let turned = vector(device, &Basis::new(&[65_519, 65_521]).expect("a basis"), &[1.into()]);
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
        for smaller in [&[65_521][..], &[65_519, 65_521, 65_497]] {
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
