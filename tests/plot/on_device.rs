//! Every device gives the host's answer, cell by cell.

use std::ops::ControlFlow;
use std::time::Instant;

use nonius::plot::{Method, Polynomial, Step, Study, classify_on, curves};
use nonius::{Blocking as _, Device, Error, Observer};

use crate::devices::{devices, say};
use crate::{cells, curve, each, grid, polynomial};

fn same(name: &str, f: &Polynomial, grid: &nonius::plot::Grid, device: &Device) {
    for method in [Method::Paper, Method::Tight] {
        let expected = cells(f, grid, method);
        let start = Instant::now();
        let found = classify_on(device, f, grid, method, &mut ()).block_on();
        let found = found.unwrap_or_else(|error| panic!("{name}, {method}, {}: {error}", device.name()));
        if start.elapsed().as_secs() >= 5 {
            say(&format!("{name}, {method}, {}: {:?}", device.name(), start.elapsed()));
        }
        assert_eq!((found.width(), found.height()), (grid.width(), grid.height()));
        for ((i, j, found), (_, _, expected)) in each(&found).zip(each(&expected)) {
            assert_eq!(
                found,
                expected,
                "{name}, {method}, cell ({i}, {j}) on {}",
                device.name()
            );
        }
    }
}

/// Spade has 29 primes, and drivers that compute on the CPU take seconds for it on 64 x 64 cells; the other curves have the
/// whole of that.
#[test]
fn every_curve_is_the_hosts() {
    for device in devices() {
        for curve in curves::ALL {
            let n = if curve.name == "spade" { 32 } else { 64 };
            let f = curve.polynomial().expect("it is shipped");
            let view = curve.view().expect("it is shipped");
            let grid = nonius::plot::Grid::new(view, n, n).expect("small");
            same(curve.name, &f, &grid, device);
        }
    }
}

/// Sizes that no block and no workgroup divides, views away from the origin, on it, and with it strictly within a column, a
/// row, and a cell; coefficients with denominators; the polynomial 0.
#[test]
fn odd_grids_are_the_hosts() {
    for device in devices() {
        for (name, view, width, height) in [
            ("heart", "-1,1,-1,1", 33, 31),
            ("heart", "-1.9,1.1,-1/3,1.7", 37, 1),
            ("heart", "-1.9,1.1,-1/3,1.7", 1, 70),
            ("folium", "-1,1,-1,1", 1, 1),
            ("folium", "1/7,3,-5,-1/3", 130, 9),
            ("folium", "-3,-1/7,1/3,2", 65, 5),
            ("diamond", "0,2,-2,0", 40, 34),
            ("touching_circles", "-5/2,5/2,-5/2,5/2", 129, 67),
        ] {
            same(name, &curve(name), &grid(view, width, height), device);
        }
        for (equation, view) in [
            ("x y = 1/3", "-1,2,-1,3"),
            ("x^3 y^3 - 2x y^2 + x^5/7 = 1/9", "-1,3/2,-2,1"),
            ("x^7 = 3", "-2,2,-1,1"),
            ("y^128 = x", "-1,1,-1,1"),
            ("y = 0", "0,1,0,1"),
        ] {
            same(equation, &polynomial(equation), &grid(view, 7, 5), device);
        }
        same("nothing", &Polynomial::default(), &grid("-1,1,-1,1", 3, 3), device);
    }
}

/// What is near the fraction's limits goes to mixed radix digits: f = 0 at many corners, and far below M at others.
#[test]
fn zeros_at_corners_are_the_hosts() {
    for device in devices() {
        let lattice = "x y (x^2 - 1)(y^2 - 4)(x - y) (x + y - 1) = 0";
        same(lattice, &polynomial(lattice), &grid("-4,4,-4,4", 8, 8), device);
        same(lattice, &polynomial(lattice), &grid("-4,4,-4,4", 64, 64), device);
        let far = polynomial("x^2 + y^2 = 10000000000000000000001");
        same("far", &far, &grid("-1,1,99999999999,100000000001", 9, 9), device);
    }
}

/// Two bases, one on each side of what loops are written out for: every basis is 8 kernels more, which compilers for CPUs
/// take longer for than for the cells.
#[test]
fn every_step_of_the_study_is_the_hosts() {
    for device in devices() {
        if device.is_host() {
            let error = Study::new(device, &curve("heart"), &grid("-1,1,-1,1", 4, 4), Step::AsWritten);
            assert!(error.is_err_and(|error| error.to_string().contains("the host")));
            continue;
        }
        for (name, view, width, height) in [
            ("heart", "-1.28,1.28,-1.28,1.28", 16, 16),
            // More primes than loops are written out for.
            ("folium", "-1.0000000000000000001,1,-1,1.00000000000000001", 5, 5),
        ] {
            let (f, grid) = (curve(name), grid(view, width, height));
            let expected = cells(&f, &grid, Method::Paper);
            for step in Step::ALL {
                let study =
                    Study::new(device, &f, &grid, step).unwrap_or_else(|error| panic!("{name}, {step}: {error}"));
                study.record().unwrap_or_else(|error| panic!("{name}, {step}: {error}"));
                let found = study
                    .cells()
                    .block_on()
                    .unwrap_or_else(|error| panic!("{name}, {step}: {error}"));
                assert!(
                    found == expected,
                    "{name}, {step} on {}: {found:?} {expected:?}",
                    device.name()
                );
            }
        }
    }
}

/// Ends it after so many reports.
struct Until(usize, Vec<(usize, usize)>);

impl Observer for Until {
    fn progress(&mut self, _operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        self.1.push((done, total));
        if self.1.len() > self.0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn an_observer_sees_rows_and_ends_it() {
    for device in devices() {
        for method in [Method::Paper, Method::Tight] {
            let (f, grid) = (curve("folium"), grid("-2,2,-2,2", 40, 70));
            let mut all = Until(usize::MAX, Vec::new());
            classify_on(device, &f, &grid, method, &mut all)
                .block_on()
                .expect("nobody cancels");
            assert!(all.1.is_sorted() && all.1.first() == Some(&(0, 70)) && all.1.last() == Some(&(70, 70)));
            for reports in [0, all.1.len() - 1] {
                let mut observer = Until(reports, Vec::new());
                let outcome = classify_on(device, &f, &grid, method, &mut observer).block_on();
                assert_eq!(
                    outcome.err(),
                    Some(Error::Cancelled { operation: "plot" }),
                    "{method} {reports}"
                );
                assert_eq!(observer.1.len(), reports + 1);
            }
        }
    }
}
