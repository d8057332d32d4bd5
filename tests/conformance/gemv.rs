//! y ← αAx + βy, with A as it is, transposed, and as a block of a larger matrix.

use nonius::dense::{self, Matrix, MatrixView};
use nonius::{Device, Result, Scalar};

use crate::exact::Exact;
use crate::support::{Case, LAYOUTS, Layout, Operand, Random};

for_every_scalar!(gemv, more_rows_than_a_grid_has_columns, unread_where_beta_is_zero);

/// Rows and columns: empty, single, around tiles and workgroups.
pub(crate) const EXTENTS: [(usize, usize); 14] = [
    (0, 0),
    (0, 5),
    (5, 0),
    (1, 1),
    (1, 5),
    (5, 1),
    (15, 17),
    (16, 16),
    (17, 15),
    (33, 65),
    (64, 257),
    (257, 64),
    (3, 1025),
    (1025, 3),
];

/// How a matrix lies in its buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Whole,
    Transposed,
    Block,
    BlockTransposed,
}

pub(crate) const PLACES: [Place; 4] = [Place::Whole, Place::Transposed, Place::Block, Place::BlockTransposed];

/// A matrix in some place, and the same by rows.
pub(crate) struct Placed<T> {
    on_device: Matrix<T>,
    place: Place,
    by_rows: Vec<T>,
    extents: (usize, usize),
}

const MARGIN: (usize, usize) = (2, 3);

impl<T: Scalar> Placed<T> {
    pub(crate) fn random(random: &mut Random, device: &Device, extents: (usize, usize), place: Place) -> Result<Self> {
        let (rows, cols) = extents;
        let transposed = matches!(place, Place::Transposed | Place::BlockTransposed);
        let (stored_rows, stored_cols) = if transposed { (cols, rows) } else { extents };
        let (above, beside) = if matches!(place, Place::Block | Place::BlockTransposed) {
            MARGIN
        } else {
            (0, 0)
        };
        let (height, leading) = (stored_rows + 2 * above, stored_cols + 2 * beside);
        let stored = random.scalars::<T>(height * leading);
        let at = |i: usize, j: usize| {
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            stored[(i + above) * leading + j + beside]
        };
        let by_rows = (0..rows * cols).map(|k| at(k / cols, k % cols)).collect();
        Ok(Self {
            on_device: Matrix::from_rows(device, height, leading, &stored)?,
            place,
            by_rows,
            extents,
        })
    }

    pub(crate) fn view(&self) -> Result<MatrixView<'_, T>> {
        let (rows, cols) = self.extents;
        Ok(match self.place {
            Place::Whole => self.on_device.view(),
            Place::Transposed => self.on_device.view().t(),
            Place::Block => self.on_device.block(MARGIN.0, MARGIN.1, rows, cols)?,
            Place::BlockTransposed => self.on_device.block(MARGIN.0, MARGIN.1, cols, rows)?.t(),
        })
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> T {
        self.by_rows[i * self.extents.1 + j]
    }
}

/// α and β of each kind: what shortcuts there may be are taken.
pub(crate) fn factors<T: Scalar>(random: &mut Random) -> [(T, T); 4] {
    let (zero, one) = (T::zero(), T::one());
    [
        (one, zero),
        (random.scalar(), random.scalar()),
        (zero, random.scalar()),
        (random.scalar(), one),
    ]
}

fn gemv<T: Scalar>(device: &Device) -> Result<()> {
    for (extents, place) in EXTENTS
        .into_iter()
        .flat_map(|extents| PLACES.map(|place| (extents, place)))
    {
        let mut random = Random::new(extents.0 * 7919 + extents.1);
        for ((alpha, beta), layouts) in factors::<T>(&mut random).into_iter().zip(LAYOUTS.into_iter().rev()) {
            one::<T>(device, &mut random, (extents, place), (alpha, beta), layouts)?;
        }
    }
    Ok(())
}

fn more_rows_than_a_grid_has_columns<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(1);
    one(
        device,
        &mut random,
        ((70_001, 2), Place::Whole),
        (T::one(), T::zero()),
        LAYOUTS[0],
    )
}

fn unread_where_beta_is_zero<T: Scalar>(device: &Device) -> Result<()> {
    let mut random = Random::new(2);
    for place in [Place::Whole, Place::Transposed] {
        one(
            device,
            &mut random,
            ((20, 30), place),
            (T::one(), T::zero()),
            LAYOUTS[2],
        )?;
    }
    Ok(())
}

fn one<T: Scalar>(
    device: &Device,
    random: &mut Random,
    (extents, place): ((usize, usize), Place),
    (alpha, beta): (T, T),
    [for_x, for_y, _]: [Layout; 3],
) -> Result<()> {
    let (rows, cols) = extents;
    let case = Case {
        device,
        operation: "gemv",
        sizes: format!("{rows} x {cols} {place:?}, α = {alpha:?}, β = {beta:?}, {for_x:?}, {for_y:?}"),
    };
    let a = Placed::<T>::random(random, device, extents, place)?;
    let x = Operand::<T>::random(random, cols, for_x);
    let y = if beta.is_zero() {
        Operand::<T>::unread(random, rows, for_y)
    } else {
        Operand::<T>::random(random, rows, for_y)
    };
    let (x_there, mut y_there) = (x.upload(device)?, y.upload(device)?);
    dense::gemv(alpha, a.view()?, x.view(&x_there), beta, y.view_mut(&mut y_there))?;
    for (i, found) in y.written(&case, &y_there)?.into_iter().enumerate() {
        let (exact, scale) = exact_entry((alpha, beta), (0..cols).map(|j| (a.at(i, j), x.at(j))), || y.at(i));
        case.near(i, found, &exact, scale, entry_roundings(cols));
    }
    Ok(())
}

/// αΣaᵢbᵢ + βc, and the same of magnitudes; c is asked for only if β is not zero.
pub(crate) fn exact_entry<T: Scalar>(
    (alpha, beta): (T, T),
    terms: impl Iterator<Item = (T, T)>,
    c: impl FnOnce() -> T,
) -> (Exact, Exact) {
    let (mut exact, mut scale) = (Exact::zero(), Exact::zero());
    for (a, b) in terms {
        exact.add_product(a, b);
        scale.add_product(a.abs(), b.abs());
    }
    let (mut exact, mut scale) = (exact.times(alpha), scale.times(alpha.abs()));
    if !beta.is_zero() {
        let c = c();
        exact.add_product(beta, c);
        scale.add_product(beta.abs(), c.abs());
    }
    (exact, scale)
}

/// Those of the sum in any order, one for α, two for βy and its addition.
pub(crate) fn entry_roundings(terms: usize) -> f64 {
    terms as f64 + 3.0
}
