//! Variants of `C ← αAB + βC`.

use std::rc::Rc;

use nonius::dense::{self, Matrix};
use nonius::device::precision::Precision;
use nonius::{Blocking as _, Dd, Device, Result, Scalar};

use super::{Call, Expected, Place, Placed, WAYS, every_variant, width};
use crate::gemv::exact_entry;
use crate::support::{Random, gamma};

for_every_scalar!(gemm);

/// m, n, k: single, within a tile, a depth in parts, whole packs.
const SMALL: [(usize, usize, usize); 4] = [(1, 1, 1), (33, 65, 31), (5, 3, 600), (36, 68, 24)];

/// Around the edges of tiles; and rounds of 8 and of 64 small tiles, with some more that are computed in parts.
const LARGE: [(usize, usize, usize); 6] = [
    (129, 127, 130),
    (127, 129, 128),
    (128, 128, 127),
    (128, 129, 129),
    (97, 65, 260),
    (33, 1056, 200),
];

fn gemm<T: Scalar>(device: &Device) -> Result<()> {
    every_variant::<T>(device, "gemm", calls)
}

fn calls<T: Scalar>(device: &Device) -> Result<Vec<Call<T>>> {
    let mut calls = Vec::new();
    for (number, extents) in SMALL.into_iter().chain(LARGE).enumerate() {
        let in_turn = LARGE.contains(&extents);
        let mut random = Random::new(number);
        let zero = T::zero();
        let kinds = [
            (random.scalar(), zero),
            (random.scalar(), random.scalar()),
            (zero, random.scalar()),
        ];
        // Of large ones, what differs in α and β only would cost much and show little.
        let kinds = if in_turn { &kinds[number % 2..][..1] } else { &kinds[..] };
        for factors in kinds {
            let problem = Rc::new(Problem::new(&mut random, extents, *factors));
            for (way, aligned) in (0..WAYS).flat_map(|way| [true, false].map(|aligned| (way, aligned))) {
                let call = problem.clone().call(device, way, aligned)?;
                calls.push(Call { in_turn, ..call });
            }
        }
    }
    Ok(calls)
}

struct Problem<T> {
    extents: (usize, usize, usize),
    factors: (T, T),
    a: Vec<T>,
    b: Vec<T>,
    c: Vec<T>,
    /// The entries of the result, and how far off they may be.
    entries: Vec<(Dd, f64)>,
}

impl<T: Scalar> Problem<T> {
    fn new(random: &mut Random, extents: (usize, usize, usize), factors: (T, T)) -> Self {
        let (rows, cols, depth) = extents;
        let (a, b) = (random.scalars::<T>(rows * depth), random.scalars::<T>(depth * cols));
        let c = if factors.1.is_zero() {
            vec![T::from_f64(f64::NAN); rows * cols]
        } else {
            random.scalars::<T>(rows * cols)
        };
        let entry = |at: usize| {
            let (i, j) = (at / cols, at % cols);
            let terms = (0..depth).map(|k| (a[i * depth + k], b[k * cols + j]));
            let (exact, scale) = exact_entry(factors, terms, || c[at]);
            // For α, for β and C, and two for the comparison in double-double.
            let bound = gamma::<T>(depth as f64 + 5.0) * scale.nearest().to_f64();
            (exact.nearest(), bound)
        };
        let entries = (0..rows * cols).map(entry).collect();
        Self {
            extents,
            factors,
            a,
            b,
            c,
            entries,
        }
    }

    fn call(self: Rc<Self>, device: &Device, way: usize, aligned: bool) -> Result<Call<T>> {
        let ((rows, cols, depth), (alpha, beta)) = (self.extents, self.factors);
        let turned = (way & 1 != 0, way & 2 != 0);
        let place = |turned| Place { turned, aligned };
        let places = [place(turned.0), place(turned.1), place(false)];
        let a = Placed::new(device, &self.a, (rows, depth), places[0])?;
        let b = Placed::new(device, &self.b, (depth, cols), places[1])?;
        let ((above, beside), leading) = (places[2].margin(), places[2].leading(cols));
        let mut random = Random::new(leading);
        let mut before = random.scalars::<T>((rows + 2 * above) * leading);
        let at = |i: usize| (above + i / cols) * leading + beside + i % cols;
        (0..rows * cols).for_each(|i| before[at(i)] = self.c[i]);
        let mut expected: Vec<Expected<T>> = before.iter().map(|before| Expected::Untouched(*before)).collect();
        for (i, (exact, bound)) in self.entries.iter().enumerate() {
            expected[at(i)] = Expected::Near {
                exact: *exact,
                bound: *bound,
            };
        }
        let stored = [
            if turned.0 { rows } else { depth },
            if turned.1 { depth } else { cols },
            cols,
        ];
        let packable = places.iter().zip(stored).all(|(place, n)| place.is_packable::<T>(n));
        let device = device.clone();
        Ok(Call {
            sizes: format!("m = {rows}, n = {cols}, k = {depth}, {places:?}, α = {alpha:?}, β = {beta:?}"),
            precision: Precision::of::<T>(width(packable)),
            in_turn: false,
            way,
            run: Box::new(move || {
                let mut c = Matrix::from_rows(&device, rows + 2 * above, leading, &before)?;
                let block = c.block_mut(above, beside, rows, cols)?;
                dense::gemm(alpha, a.view()?, b.view()?, beta, block)?;
                c.to_host().block_on()
            }),
            expected,
        })
    }
}
