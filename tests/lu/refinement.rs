//! Iterative refinement: what low factors and high residuals reach together.

use std::ops::ControlFlow;

use nonius::dense::Matrix;
use nonius::lu::{Lu, Refinement, Residual, refine};
use nonius::{Blocking as _, Dd, Device, Df64, Error, Observer, Result, Scalar};

use crate::devices::{Random, devices, say};
use crate::exact::Exact;
use crate::matrices::{Dense, conditioned};

/// The accuracy that `solve` promises: 2 roundings of a Df64, 64 of a double.
const DOUBLE: f64 = 1.0 / (1_u64 << 47) as f64;

struct Problem {
    a: Dense<Dd>,
    b: Vec<Dd>,
}

impl Problem {
    /// In the bits of `H`, so that its residual knows the matrix exactly.
    fn new<H: Scalar>(n: usize, condition: f64, seed: usize) -> Self {
        let a = conditioned::<H>(n, condition, seed);
        let mut random = Random::new(seed);
        Self {
            a: Dense::from_fn(n, n, |i, j| a.at(i, j).to_dd()),
            b: (0..n).map(|_| H::from_f64(random.unit()).to_dd()).collect(),
        }
    }

    fn n(&self) -> usize {
        self.b.len()
    }

    fn factor<L: Scalar>(&self, device: &Device) -> Result<Lu<L>> {
        let values: Vec<L> = self.a.values.iter().map(|x| L::from_dd(*x)).collect();
        Lu::factor(Matrix::from_rows(device, self.n(), self.n(), &values)?)
    }

    fn residual<H: Scalar>(&self, device: &Device) -> Result<Residual<H>> {
        let convert = |values: &[Dd]| values.iter().map(|x| H::from_dd(*x)).collect::<Vec<H>>();
        let n = self.n();
        Residual::new(device, convert(&self.b), |first, count| {
            convert(&self.a.values[first * n..(first + count) * n])
        })
    }

    fn norms(&self, x: impl Iterator<Item = f64>) -> f64 {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let n = self.n();
        let row = |i: usize| (0..n).map(|j| self.a.at(i, j).to_f64().abs()).sum::<f64>();
        let norm_a = largest(&mut (0..n).map(row));
        let norm_x = largest(&mut x.map(f64::abs));
        norm_a * norm_x + largest(&mut self.b.iter().map(|b| b.to_f64().abs()))
    }

    /// What refinement is told: from the residual that it computed.
    fn measure<H: Scalar>(&self, x: &[H], r: &[H]) -> f64 {
        let largest = r.iter().map(|r| r.to_f64().abs()).fold(0.0, f64::max);
        largest / self.norms(x.iter().map(|x| x.to_f64()))
    }

    /// The same from a residual without rounding.
    fn backward_error<H: Scalar>(&self, x: &[H]) -> f64 {
        let mut one = Exact::zero();
        one.add(1.0);
        let row = |i: usize| {
            let mut sum = Exact::zero();
            sum.subtract(self.b[i]);
            x.iter()
                .enumerate()
                .for_each(|(j, x)| sum.add_product(self.a.at(i, j), x.to_dd()));
            sum.ratio(one.clone())
        };
        (0..self.n()).map(row).fold(0.0, f64::max) / self.norms(x.iter().map(|x| x.to_f64()))
    }

    fn refine<L: Scalar, H: Scalar>(&self, device: &Device) -> Result<(Vec<H>, Refinement)> {
        let (lu, residual) = (self.factor::<L>(device)?, self.residual::<H>(device)?);
        refine(&lu, &residual, 30, |x, r| self.measure(x, r), &mut ()).block_on()
    }
}

fn supported<L: Scalar, H: Scalar>() -> impl Iterator<Item = &'static Device> {
    devices().iter().filter(|device| {
        let both = device.supports::<L>().and_then(|()| device.supports::<H>());
        if let Err(error) = &both {
            say(&format!("not tested: {error}"));
        }
        both.is_ok()
    })
}

fn reaches_double<L: Scalar, H: Scalar>() {
    for device in supported::<L, H>() {
        for n in [1, 2, 33, 65] {
            let problem = Problem::new::<H>(n, 100.0, n);
            let (x, refinement) = problem.refine::<L, H>(device).expect("it is regular");
            let case = format!(
                "{} and {} of {n} on {}: {refinement:?}",
                L::NAME,
                H::NAME,
                device.name()
            );
            assert!(problem.backward_error(&x) <= DOUBLE, "{case}");
            // All but the last step, which is the one that stops it, halve the error.
            let [steps @ .., _] = refinement.history.as_slice() else {
                panic!("{case}")
            };
            assert!(steps.windows(2).all(|pair| pair[1] <= 0.5 * pair[0]), "{case}");
            let smallest = refinement.history.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(refinement.best == smallest, "{case}");
            assert_eq!(refinement.corrections.len(), refinement.history.len(), "{case}");
            // n κ(A) roundings of the factors at most, which is far below 1.
            let bound = n as f64 * 100.0 * L::ROUNDING;
            assert!(
                refinement
                    .contraction()
                    .is_none_or(|found| found < bound && found < 1e-3),
                "{case}"
            );
        }
    }
}

#[test]
fn f32_factors_and_df64_residuals_reach_double_accuracy() {
    reaches_double::<f32, Df64>();
}

#[test]
fn f32_factors_and_f64_residuals_reach_double_accuracy() {
    reaches_double::<f32, f64>();
}

#[test]
fn df64_factors_and_dd_residuals_reach_double_accuracy() {
    reaches_double::<Df64, Dd>();
}

#[test]
fn corrections_shrink_as_the_condition_lets_them() {
    for device in supported::<f32, Df64>() {
        let contraction = |condition: f64| {
            let problem = Problem::new::<Df64>(50, condition, 3);
            let (_, refinement) = problem.refine::<f32, Df64>(device).expect("it is regular");
            refinement.contraction().expect("one solve in f32 is not enough")
        };
        let (well, less, hardly, not) = (contraction(2.0), contraction(1e3), contraction(1e5), contraction(1e12));
        assert!(
            well < less && less < hardly && well < 1e-5 && hardly < 0.5 && not > 0.1,
            "{}: {well:e}, {less:e}, {hardly:e}, {not:e}",
            device.name()
        );
    }
}

/// Tiny and huge right-hand sides are scaled before they are rounded to f32.
#[test]
fn a_right_hand_side_may_be_of_any_size() {
    for device in supported::<f32, f64>() {
        let mut problem = Problem::new::<f64>(20, 10.0, 5);
        for exponent in [0, -300, 300, -900, 900] {
            let unscaled = problem.b.clone();
            problem.b.iter_mut().for_each(|b| *b = b.scale_exponent(exponent));
            let (x, refinement) = problem.refine::<f32, f64>(device).expect("it is regular");
            assert!(
                refinement.best <= DOUBLE && x.iter().all(|x| x.is_finite()),
                "2^{exponent} on {}: {refinement:?}",
                device.name()
            );
            problem.b = unscaled;
        }
    }
}

#[test]
fn an_exact_solution_needs_no_correction() {
    for device in supported::<f32, Df64>() {
        let mut problem = Problem::new::<Df64>(3, 2.0, 1);
        problem.a = Dense::from_fn(3, 3, |i, j| Dd::from(if i == j { 2.0 } else { 0.0 }));
        problem.b = vec![Dd::from(4.0); 3];
        let (x, refinement) = problem.refine::<f32, Df64>(device).expect("it is regular");
        assert!(x.iter().all(|x| *x == Df64::from(2)), "{x:?}");
        assert_eq!((refinement.history, refinement.best), (vec![0.0], 0.0));
        problem.b = vec![Dd::from(0.0); 3];
        let (x, _) = problem.refine::<f32, Df64>(device).expect("it is regular");
        assert!(x.iter().all(|x| *x == Df64::from(0)), "{x:?}");
    }
}

#[test]
fn a_residual_that_is_no_number_ends_it() {
    for device in supported::<f32, Df64>() {
        let mut problem = Problem::new::<Df64>(5, 2.0, 1);
        *problem.a.at_mut(2, 3) = Dd::from(f64::NAN);
        let (lu, residual) = (problem.factor::<f32>(device), problem.residual::<Df64>(device));
        let measure = |x: &[Df64], r: &[Df64]| x.iter().chain(r).map(|x| x.to_f64()).sum::<f64>();
        let (lu, residual) = (lu.expect("it is factored"), residual.expect("it fits"));
        let (_, refinement) = refine(&lu, &residual, 30, measure, &mut ())
            .block_on()
            .expect("it ends");
        assert!(
            refinement.best.is_infinite() && refinement.history.len() == 1,
            "{}: {refinement:?}",
            device.name()
        );
    }
}

struct StopAfter(usize);

impl Observer for StopAfter {
    fn progress(&mut self, operation: &'static str, _done: usize, _total: usize) -> ControlFlow<()> {
        assert_eq!(operation, "refine");
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

#[test]
fn an_observer_can_stop_it() {
    for device in supported::<f32, Df64>() {
        let problem = Problem::new::<Df64>(10, 100.0, 1);
        let lu = problem.factor::<f32>(device).expect("it is regular");
        let residual = problem.residual::<Df64>(device).expect("it fits");
        for steps in [0, 1] {
            let measure = |x: &[Df64], r: &[Df64]| problem.measure(x, r);
            let outcome = refine(&lu, &residual, 30, measure, &mut StopAfter(steps)).block_on();
            assert_eq!(outcome.err(), Some(Error::Cancelled { operation: "refine" }));
        }
    }
}

#[test]
fn corrections_need_no_limit() {
    struct Total(usize);
    impl Observer for Total {
        fn progress(&mut self, _operation: &'static str, _done: usize, total: usize) -> ControlFlow<()> {
            self.0 = total;
            ControlFlow::Continue(())
        }
    }
    let problem = Problem::new::<f64>(10, 100.0, 1);
    let host = Device::host();
    let lu = problem.factor::<f32>(&host).expect("it is regular");
    let residual = problem.residual::<f64>(&host).expect("it fits");
    let mut total = Total(0);
    let measure = |x: &[f64], r: &[f64]| problem.measure(x, r);
    let (_, refinement) = refine(&lu, &residual, usize::MAX, measure, &mut total)
        .block_on()
        .expect("it ends");
    assert!(
        refinement.best <= DOUBLE && total.0 == usize::MAX,
        "{refinement:?}, of {}",
        total.0
    );
}

#[test]
fn what_does_not_fit_is_an_error() {
    for device in supported::<f32, Df64>() {
        let problem = Problem::new::<Df64>(4, 2.0, 1);
        let larger = Problem::new::<Df64>(5, 2.0, 1);
        let lu = problem.factor::<f32>(device).expect("it is regular");
        let residual = larger.residual::<Df64>(device).expect("it fits");
        let outcome = refine(&lu, &residual, 30, |_, _| 1.0, &mut ()).block_on();
        assert!(matches!(outcome, Err(Error::Shape { .. })), "{outcome:?}");
        let rows = Residual::new(device, vec![Df64::from(1); 4], |_, _| vec![Df64::from(1); 3]);
        assert!(matches!(rows, Err(Error::Shape { .. })), "{rows:?}");
    }
}
