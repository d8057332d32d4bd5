//! Sums, differences, products, powers and extensions, on every device.

use nonius::Blocking as _;
use nonius::residue::{Basis, Table, Vector, Width, add, extend, is_zero, mul, neg, pow, sub};
use num_bigint::BigInt;

use crate::devices::Random;
use crate::numbers::{COUNTS, devices_and_widths, largest, numbers, root, same, vector};

#[test]
fn results_are_those_of_big_integers() {
    for (device, width) in devices_and_widths() {
        // A workgroup has 128 invocations.
        for (count, n) in COUNTS
            .into_iter()
            .flat_map(|count| [70, 128, 129, 300].map(|n| (count, n)))
        {
            if n != 300 && count > 3 {
                continue;
            }
            let basis = largest(width, count);
            let random = &mut Random::new(count + n);
            let pairs = |bound| {
                let [x, y] = [(); 2].map(|()| numbers(&bound, &mut Random::new(random.below(1 << 20)), n));
                (vector(device, &basis, &x), vector(device, &basis, &y), x, y)
            };
            let (sums, products) = (root(&basis, 1, 2), root(&basis, 2, 1));
            let mut pairs = pairs;
            let (of_x, of_y, x, y) = pairs(sums);
            let each = |f: &dyn Fn(&BigInt, &BigInt) -> BigInt, x: &[BigInt], y: &[BigInt]| -> Vec<BigInt> {
                x.iter().zip(y).map(|(x, y)| f(x, y)).collect()
            };
            same("x + y", &add(&of_x, &of_y).expect("held"), &each(&|x, y| x + y, &x, &y));
            same("x - y", &sub(&of_x, &of_y).expect("held"), &each(&|x, y| x - y, &x, &y));
            same("-x", &neg(&of_x).expect("held"), &each(&|x, _| -x, &x, &y));
            let (of_x, of_y, x, y) = pairs(products);
            same("x y", &mul(&of_x, &of_y).expect("held"), &each(&|x, y| x * y, &x, &y));
            same("x x", &mul(&of_x, &of_x).expect("held"), &each(&|x, _| x * x, &x, &y));
            for exponent in [0, 1, 2, 3, 5, 8, 21] {
                let (of_x, _, x, y) = pairs(root(&basis, exponent.max(1), 1));
                same(
                    "a power",
                    &pow(&of_x, exponent).expect("held"),
                    &each(&|x, _| x.pow(exponent), &x, &y),
                );
            }
        }
    }
}

#[test]
fn more_primes_hold_the_same_integers() {
    for (device, width) in devices_and_widths() {
        let odd = match width {
            Width::Narrow => Basis::new(&[3, 5, 7, 257]),
            Width::Wide => Basis::new(&[1_073_741_831, 2_147_483_647, 1_073_741_827]),
        };
        let odd = odd.expect("a basis");
        for basis in COUNTS.map(|count| largest(width, count)).iter().chain([&odd]) {
            for more in [0, 1, 7] {
                let larger = basis.extend(more).expect("more primes");
                let values = numbers(basis.half(), &mut Random::new(more), 150);
                let table = Table::new(device, &larger).expect("a table");
                let x = extend(&vector(device, basis, &values), &table).expect("recorded");
                assert_eq!(x.basis().len(), basis.len() + more);
                same("an extension", &x, &values);
                // Every residue is that of the integer: also those that only the range needs.
                let residues = Vector::on(&table, &values)
                    .expect("held")
                    .buffer()
                    .to_host()
                    .block_on()
                    .expect("residues");
                assert_eq!(
                    x.buffer().to_host().block_on().expect("residues"),
                    residues,
                    "{}",
                    device.name()
                );
            }
        }
    }
}

#[test]
fn nothing_is_done_to_nothing() {
    for (device, width) in devices_and_widths() {
        let basis = largest(width, 3);
        let none = vector(device, &basis, &[]);
        assert!(none.is_empty() && none.to_integers().block_on().expect("none").is_empty());
        assert!(add(&none, &none).expect("recorded").is_empty());
        assert!(is_zero(&none).expect("recorded").is_empty());
        let table = Table::new(device, &basis.extend(1).expect("one more")).expect("a table");
        assert!(extend(&none, &table).expect("recorded").is_empty());
        assert!(
            pow(&none, 3)
                .expect("recorded")
                .to_integers()
                .block_on()
                .expect("none")
                .is_empty()
        );
    }
}
