//! Rows and columns scaled by powers of two, which is exact where nothing underflows: LAPACK's `geequb`.

use super::scale_lines;
use crate::dense::{MatrixView, MatrixViewMut, lanes_of_line};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, WORKGROUP, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Buffer, Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::{Scalar, ScalarKind};

/// Exponents of two: entry (i, j) of A times 2^(rows\[i\] + cols\[j\]) is that of the scaled matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equilibration {
    /// Of the rows of A, and of b: the scaled right-hand side is 2^rows\[i\] bᵢ.
    pub rows: Vec<i32>,
    /// Of the columns of A, and of the solution y of the scaled system: xⱼ is 2^cols\[j\] yⱼ.
    pub cols: Vec<i32>,
}

impl Equilibration {
    /// What brings the largest entry of every row, and then of every column, to [1, 2), from the exponents
    /// ([`Scalar::exponent`]) of the entries that are not zero, in any order. Empty rows and columns stay as they are.
    /// Entries are within the shape.
    pub(crate) fn of_exponents(
        rows: usize,
        cols: usize,
        entries: impl Iterator<Item = (usize, usize, i32)> + Clone,
    ) -> Self {
        let mut by_row = vec![None; rows];
        for (row, _, exponent) in entries.clone() {
            by_row[row] = by_row[row].max(Some(exponent));
        }
        let rows: Vec<i32> = by_row.into_iter().map(|exponent| -exponent.unwrap_or(0)).collect();
        let mut by_col = vec![None; cols];
        for (row, col, exponent) in entries {
            by_col[col] = by_col[col].max(Some(exponent + rows[row]));
        }
        let cols = by_col.into_iter().map(|exponent| -exponent.unwrap_or(0)).collect();
        Self { rows, cols }
    }
}

/// Scales `a` in place, so that the largest entry of every row, and then of every column, is in [1, 2), and returns the
/// exponents. Exact, unless an entry is so much smaller than its row and column that it underflows; subnormal numbers
/// count as the smallest normal one, and pairs as their leading word. A device that flushes subnormals (`nonius doctor` says
/// which does) makes zeros of them.
///
/// A x = b becomes, with the scaled matrix, A' y = b' where b'ᵢ = 2^rows\[i\] bᵢ and xⱼ = 2^cols\[j\] yⱼ. Scaling changes
/// which rows become pivots, mostly for the better where rows differ in size, and keeps a low precision in range.
///
/// Cost: three dispatches, 3 m·n reads and m·n writes, m + n integers read back.
///
/// # Errors
/// [`Error::NotFinite`] with the first row that has an entry that is not finite: then nothing is scaled. Whatever the device
/// reports.
///
/// ```
/// use nonius::{Blocking, Device, dense::Matrix, lu::equilibrate};
/// let mut a = Matrix::from_rows(&Device::host(), 2, 2, &[6.0, 1.0, 0.0, 0.25])?;
/// let scaling = equilibrate(&mut a).block_on()?;
/// assert_eq!((scaling.rows, scaling.cols), (vec![-2, 2], vec![0, 0]));
/// assert_eq!(a.to_host().block_on()?, [1.5, 0.25, 0.0, 1.0]);
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn equilibrate<'a, T: Scalar>(a: impl Into<MatrixViewMut<'a, T>>) -> Result<Equilibration> {
    let a = a.into();
    let scaling = match a.device().ground() {
        Ground::Host => on_host(&a.as_view())?,
        Ground::Gpu(gpu) => on_gpu(gpu, &a.as_view()).await?,
    };
    scale_lines::scale(a, &scaling.rows, &scaling.cols)?;
    Ok(scaling)
}

fn not_finite(row: usize, value: f64) -> Error {
    Error::NotFinite {
        what: format!("the matrix in row {row} (counted from 0)"),
        value,
    }
}

fn on_host<T: Scalar>(a: &MatrixView<'_, T>) -> Result<Equilibration> {
    let values = a.buffer.host();
    let at = |i: usize, j: usize| values[a.offset + i * a.row_stride + j];
    let all = (0..a.rows).flat_map(|i| (0..a.cols).map(move |j| (i, j)));
    if let Some((row, col)) = all.clone().find(|(i, j)| !at(*i, *j).is_finite()) {
        return Err(not_finite(row, at(row, col).to_f64()));
    }
    let smallest = T::KIND.smallest_normal();
    let entries = all.filter_map(|(i, j)| Some((i, j, leading_exponent(at(i, j))?.max(smallest))));
    Ok(Equilibration::of_exponents(a.rows, a.cols, entries))
}

/// That of the leading word, which kernels read off its bits: a pair just under a power of two has that power there.
fn leading_exponent<T: Scalar>(x: T) -> Option<i32> {
    match T::KIND {
        ScalarKind::F32 | ScalarKind::Df64 => Scalar::exponent(f32::from_dd(x.to_dd())),
        ScalarKind::F64 | ScalarKind::Dd => Scalar::exponent(f64::from_dd(x.to_dd())),
    }
}

async fn on_gpu<T: Scalar>(gpu: &Gpu, a: &MatrixView<'_, T>) -> Result<Equilibration> {
    let nothing = Buffer::<i32>::zeros(a.device(), 1)?;
    let rows = Buffer::<i32>::zeros(a.device(), a.rows)?;
    let cols = Buffer::<i32>::zeros(a.device(), a.cols)?;
    if a.rows > 0 && a.cols > 0 {
        launch(gpu, a, false, &nothing, &rows)?;
        launch(gpu, a, true, &rows, &cols)?;
    }
    let (rows, cols) = (rows.to_host().await?, cols.to_host().await?);
    match rows.iter().position(|exponent| *exponent == i32::MAX) {
        // Which of them it is, the exponents do not say.
        Some(row) => Err(not_finite(row, f64::NAN)),
        None => Ok(Equilibration { rows, cols }),
    }
}

fn launch<T: Scalar>(
    gpu: &Gpu,
    a: &MatrixView<'_, T>,
    turned: bool,
    others: &Buffer<i32>,
    to: &Buffer<i32>,
) -> Result<()> {
    let (lines, length) = if turned { (a.cols, a.rows) } else { (a.rows, a.cols) };
    let lanes = lanes_of_line("equilibrate", a.device(), turned, length)?;
    let entries = (a.rows * a.cols) as u64;
    gpu.launch(&Launch {
        kernel: &EQUILIBRATE,
        precision: Precision::of::<T>(Width::Single),
        constants: &[
            (LANES.name, lanes),
            (TURNED.name, u32::from(turned)),
            (FRACTION.name, fraction(T::KIND)),
        ],
        params: Params::new()
            .size("rows", a.rows)
            .size("cols", a.cols)
            .size("leading", a.row_stride)
            .size("offset", a.offset),
        buffers: &[a.buffer.gpu(), others.gpu(), to.gpu()],
        grid: Grid::covering(lines as u64, (WORKGROUP.default / lanes).into()),
        work: Work {
            bytes: entries * size_of::<T>() as u64,
            operations: entries,
        },
    })
}

/// The bits of the fraction in the leading 32 bits of a scalar's (leading) word.
fn fraction(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::F32 | ScalarKind::Df64 => 23,
        ScalarKind::F64 | ScalarKind::Dd => 20,
    }
}

/// Invocations that share a line.
const LANES: Constant = Constant {
    name: "LANES",
    default: 32,
};

const TURNED: Constant = Constant {
    name: "TURNED",
    default: 0,
};

const FRACTION: Constant = Constant {
    name: "FRACTION",
    default: 23,
};

pub(super) static EQUILIBRATE: Kernel = Kernel {
    name: "lu::equilibrate",
    entry: "equilibrate",
    source: fragment!("lu/equilibrate.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["rows", "cols", "leading", "offset"],
    scalars: &[],
    constants: &[WORKGROUP, LANES, TURNED, FRACTION],
    vocabulary: Vocabulary::Elements,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_first_and_columns_make_up_for_the_rest() {
        let found = Equilibration::of_exponents(3, 3, [(0, 0, 5), (1, 0, -2), (1, 1, -4)].into_iter());
        assert_eq!((found.rows, found.cols), (vec![-5, 2, 0], vec![0, 2, 0]));
    }
}
