//! A sparse matrix: where its entries are (a [`Pattern`]), and what they are. The two are kept apart, so that values can
//! change on a pattern that was checked and laid out once.

use std::ops::Range;
use std::sync::Arc;

use super::bands;
use super::csr_pattern::CsrPattern;
use super::format::Format;
use crate::host_memory::{filled, reserved, room};
use crate::scalar::Scalar;
use crate::{Error, Result, threads};

/// A sparse matrix in the format of its pattern `P`: [`Csr`](super::Csr), [`Ell`](super::Ell) and so on are this type.
///
/// Sound by construction: whatever the format, the columns of a row are strictly ascending and within the matrix, and
/// every offset lies within its array. That is checked once, by [`CsrPattern::new`], from which every other pattern is
/// made; nothing can change a pattern afterwards. Clones share the pattern.
///
/// ```
/// use nonius::sparse::{Csr, Ell, PackedCsr};
///
/// let a = Csr::new(2, 3, vec![0, 2, 3], vec![0, 1, 2], vec![1.0_f64, 2.0, 3.0])?;
/// let packed = PackedCsr::from_csr(&a)?;
/// assert_eq!(packed.to_csr()?, a);
/// assert_eq!(Ell::from_csr(&a)?.to_csr()?, a);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix<P, T> {
    pub(super) pattern: Arc<P>,
    pub(super) values: Vec<T>,
}

/// Where the entries of a sparse matrix are, laid out in a format. Sealed: the formats of this library.
pub trait Pattern: layout::Layout + Clone + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// The format.
    const FORMAT: Format;
    /// The number of rows.
    fn rows(&self) -> usize;
    /// The number of columns.
    fn cols(&self) -> usize;
    /// The number of entries, explicit zeros included and padding not.
    fn nnz(&self) -> usize;
    /// The length of the array of values: entries and padding.
    fn slots(&self) -> usize;
    /// The bytes of its arrays of indices, pointers and lengths.
    fn index_bytes(&self) -> u64;
    /// Lays `csr` out in this format.
    ///
    /// # Errors
    /// [`Error::Shape`] if padding makes an array longer than 2³² − 1, [`Error::OutOfMemory`] if the host cannot hold it.
    fn from_csr(csr: &CsrPattern) -> Result<Self>
    where
        Self: Sized;
}

pub(super) mod layout {
    use super::{Pattern, Range, Rows, Scalar, SparseMatrix};
    use crate::Result;
    use crate::sparse::spmv::kernels::OnDevice;
    use crate::sparse::spmv::schedule::{Schedule, Target};

    /// What only this library may say of a format, and only it may call.
    pub trait Layout {
        /// Ranges of rows handed to the functions below begin at multiples of this, and end there or at the last row.
        fn granule(&self) -> usize {
            1
        }

        /// How many slots `products` goes over, by which rows are shared out among threads.
        fn slots_gone_over(&self) -> usize
        where
            Self: Pattern,
        {
            self.slots()
        }

        /// Calls `visit(row, column, slot)` for every entry of the rows: rows ascending, columns ascending in each.
        /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) where there is no room to put them in order.
        fn walk(&self, rows: Range<usize>, visit: impl FnMut(usize, u32, usize)) -> Result<()>;

        /// Calls `put(row, sum)` once for each of the rows, sum = Σⱼ aᵢⱼxⱼ in the order in which the format stores a row:
        /// the order of its kernel.
        fn products<T: Scalar>(&self, rows: Range<usize>, values: &[T], x: &[T], put: impl FnMut(usize, T));

        /// Puts values in CSR's order into their slots, or leaves all as it is: errors as [`walk`](Self::walk).
        fn scatter<T: Scalar>(&self, values: &[T], slots: &mut [T]) -> Result<()>
        where
            Self: Pattern,
        {
            let mut values = values.iter();
            self.walk(0..self.rows(), |_, _, slot| {
                if let Some(value) = values.next() {
                    slots[slot] = *value;
                }
            })
        }

        /// What a GPU is given of it for `target`, and the kernels for that.
        fn on_device(&self, schedule: Schedule, target: Target) -> Result<OnDevice<'_>>;

        /// What the host multiplies with.
        fn on_host<T: Scalar>(matrix: &SparseMatrix<Self, T>) -> Box<dyn Rows<T>>
        where
            Self: Pattern,
        {
            Box::new(matrix.clone())
        }
    }
}

/// A matrix of the host whose format is forgotten.
pub trait Rows<T>: Send + Sync {
    /// y ← αAx + βy, or αAᵀx + βy of a CSC.
    fn multiply(&self, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()>;
    fn set_values(&mut self, values: &[T]) -> Result<()>;
    fn to_csr(&self) -> Result<SparseMatrix<CsrPattern, T>>;
}

impl<P: Pattern, T: Scalar> SparseMatrix<P, T> {
    /// The same matrix in this format, explicit zeros included. O(nnz + padding).
    ///
    /// # Errors
    /// As [`Pattern::from_csr`].
    pub fn from_csr(csr: &SparseMatrix<CsrPattern, T>) -> Result<Self> {
        Self::with_pattern(Arc::new(P::from_csr(&csr.pattern)?), &csr.values)
    }

    /// The matrix with this pattern and these values, in CSR's order: row by row, columns ascending.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many values as entries, [`Error::OutOfMemory`].
    ///
    /// ```
    /// use nonius::sparse::{RbpEll, generate};
    ///
    /// let a = RbpEll::from_csr(&generate::stencil5(3, 3)?)?;
    /// let other = RbpEll::with_pattern(a.pattern().clone(), &vec![1.0_f32; a.nnz()])?;
    /// assert_eq!(other.to_csr()?.values(), [1.0; 33]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn with_pattern(pattern: Arc<P>, values: &[T]) -> Result<Self> {
        let values = laid_out(&*pattern, values)?;
        Ok(Self { pattern, values })
    }

    /// Replaces the values, keeping the pattern. They come in CSR's order, whatever the format. O(nnz).
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many values as entries, and [`Error::OutOfMemory`]; then nothing has changed.
    ///
    /// ```
    /// use nonius::sparse::{Csr, RbpCsr};
    ///
    /// let a = Csr::new(1, 4, vec![0, 3], vec![0, 2, 3], vec![1.0_f32, 2.0, 3.0])?;
    /// let mut packed = RbpCsr::from_csr(&a)?;
    /// packed.set_values(&[4.0, 5.0, 6.0])?;
    /// assert_eq!(packed.to_csr()?.values(), [4.0, 5.0, 6.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn set_values(&mut self, values: &[T]) -> Result<()> {
        check_values("set_values", self.nnz(), values.len())?;
        self.pattern.scatter(values, &mut self.values)
    }

    /// The same matrix as CSR, explicit zeros included: [`from_csr`](Self::from_csr) backwards, exactly. O(nnz), on all
    /// cores where that pays.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], where a CSC of few entries has many rows.
    pub fn to_csr(&self) -> Result<SparseMatrix<CsrPattern, T>> {
        let pattern = &self.pattern;
        const WHAT: &str = "a matrix in CSR";
        let mut row_ptr = reserved(pattern.rows().saturating_add(1), WHAT)?;
        let parts = bands::map(pattern.rows(), pattern.granule(), pattern.slots(), |rows| {
            let begin = rows.start;
            let mut lengths = filled(rows.len(), 0_u32, WHAT)?;
            // About as many entries as it has of the rows; all of them, where it has all rows.
            let share = (rows.len() * (pattern.nnz() / pattern.rows().max(1) + 1)).min(pattern.nnz());
            let (mut columns, mut values) = (reserved(share, WHAT)?, reserved(share, WHAT)?);
            let mut is_room = Ok(());
            pattern.walk(rows, |row, column, slot| {
                if columns.len() == columns.capacity().min(values.capacity()) && is_room.is_ok() {
                    is_room = room(&mut columns, 1, WHAT).and_then(|()| room(&mut values, 1, WHAT));
                }
                if is_room.is_ok() {
                    lengths[row - begin] += 1;
                    columns.push(column);
                    values.push(self.values[slot]);
                }
            })?;
            is_room.map(|()| (lengths, columns, values))
        });
        let (mut columns, mut values) = (reserved(pattern.nnz(), WHAT)?, reserved(pattern.nnz(), WHAT)?);
        let mut end = 0;
        row_ptr.push(end);
        for part in parts {
            let (lengths, part_columns, part_values) = part?;
            row_ptr.extend(lengths.iter().map(|length| {
                end += length;
                end
            }));
            columns.extend(part_columns);
            values.extend(part_values);
        }
        let pattern = CsrPattern::trusted(pattern.cols(), row_ptr, columns);
        Ok(SparseMatrix {
            pattern: Arc::new(pattern),
            values,
        })
    }

    /// The same matrix in another format, through CSR: exact, explicit zeros included. O(nnz + padding).
    ///
    /// # Errors
    /// As [`Pattern::from_csr`].
    ///
    /// ```
    /// use nonius::sparse::{Csc, Ell, PackedSell, generate};
    ///
    /// let a = generate::wathen(3, 2, 1)?;
    /// let by_columns: Csc<f64> = Ell::from_csr(&a)?.convert()?;
    /// let packed: PackedSell<f64> = by_columns.convert()?;
    /// assert_eq!(packed.to_csr()?, a);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn convert<Q: Pattern>(&self) -> Result<SparseMatrix<Q, T>> {
        SparseMatrix::from_csr(&self.to_csr()?)
    }

    /// The same matrix with every value converted; the pattern is shared, not copied.
    #[must_use]
    pub fn map<U: Scalar>(&self, convert: impl FnMut(T) -> U) -> SparseMatrix<P, U> {
        SparseMatrix {
            pattern: Arc::clone(&self.pattern),
            values: self.values.iter().copied().map(convert).collect(),
        }
    }

    /// Computes `y ← αAx + βy` on the host. A is m x n, x has n and y has m elements; with β = 0, y is not read.
    ///
    /// Each row is summed by multiply-adds in the order in which the format stores it, on one thread, so that results do
    /// not depend on the number of threads. This is the definition that kernels are held against.
    ///
    /// # Errors
    /// [`Error::Shape`].
    ///
    /// # Accuracy
    /// Componentwise |error| ≤ γₖ(|α||A||x| + |β||y|), k two more than the longest row (Higham, *Accuracy and Stability of
    /// Numerical Algorithms*, 2002, §3.5).
    ///
    /// # Cost
    /// 2·nnz flops; reads the matrix's bytes and as many elements of x as entries, writes y.
    ///
    /// ```
    /// use nonius::sparse::{Csr, Sell};
    ///
    /// let a = Sell::from_csr(&Csr::new(2, 2, vec![0, 1, 3], vec![1, 0, 1], vec![1.0, 2.0, 3.0])?)?;
    /// let mut y = [f64::NAN, f64::NAN];
    /// a.multiply(10.0, &[1.0, 1.0], 0.0, &mut y)?;
    /// assert_eq!(y, [10.0, 50.0]);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub fn multiply(&self, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        multiply(&*self.pattern, &self.values, alpha, x, beta, y)
    }

    /// The bytes of its arrays: values and indices, padding included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.values.len() as u64 * size_of::<T>() as u64 + self.pattern.index_bytes()
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> Format {
        P::FORMAT
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.pattern.cols()
    }

    /// The number of entries, explicit zeros included and padding not.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.pattern.nnz()
    }

    /// Where the entries are.
    #[must_use]
    pub fn pattern(&self) -> &Arc<P> {
        &self.pattern
    }

    /// The array of values as the format lays it out, padding included.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

impl<P: Pattern, T: Scalar> Rows<T> for SparseMatrix<P, T> {
    fn multiply(&self, alpha: T, x: &[T], beta: T, y: &mut [T]) -> Result<()> {
        multiply(&*self.pattern, &self.values, alpha, x, beta, y)
    }

    fn set_values(&mut self, values: &[T]) -> Result<()> {
        Self::set_values(self, values)
    }

    fn to_csr(&self) -> Result<SparseMatrix<CsrPattern, T>> {
        Self::to_csr(self)
    }
}

/// `y ← αAx + βy` on the host: [`SparseMatrix::multiply`].
pub(super) fn multiply<P: Pattern, T: Scalar>(
    pattern: &P,
    values: &[T],
    alpha: T,
    x: &[T],
    beta: T,
    y: &mut [T],
) -> Result<()> {
    for (name, expected, found) in [("x", pattern.cols(), x.len()), ("y", pattern.rows(), y.len())] {
        if expected != found {
            return Err(Error::Shape {
                operation: "SparseMatrix::multiply",
                expected: format!(
                    "{expected} elements of {name} for {} x {}",
                    pattern.rows(),
                    pattern.cols()
                ),
                found: format!("{found}"),
            });
        }
    }
    let height = bands::height(pattern.rows(), pattern.granule(), pattern.slots_gone_over());
    let band = |index: usize, y: &mut [T]| {
        let begin = index * height;
        pattern.products(begin..begin + y.len(), values, x, |row, sum| {
            let (product, y) = (alpha * sum, &mut y[row - begin]);
            *y = if beta.is_zero() {
                product
            } else {
                beta.mul_add(*y, product)
            };
        });
    };
    threads::map(y.chunks_mut(height).enumerate().collect(), |(index, y)| band(index, y));
    Ok(())
}

/// The same entries as CSR.
///
/// # Errors
/// [`Error::OutOfMemory`]: few entries may have many rows.
pub(super) fn csr_pattern<P: Pattern>(pattern: &P) -> Result<CsrPattern> {
    let mut row_ptr = filled(pattern.rows().saturating_add(1), 0_u32, "the row pointers of CSR")?;
    let mut columns = reserved(pattern.nnz(), "the columns of CSR")?;
    pattern.walk(0..pattern.rows(), |row, column, _| {
        columns.push(column);
        row_ptr[row + 1] += 1;
    })?;
    for row in 0..pattern.rows() {
        row_ptr[row + 1] += row_ptr[row];
    }
    Ok(CsrPattern::trusted(pattern.cols(), row_ptr, columns))
}

/// Values in CSR's order, as the pattern lays them out.
pub(super) fn laid_out<P: Pattern, T: Scalar>(pattern: &P, values: &[T]) -> Result<Vec<T>> {
    check_values("SparseMatrix::with_pattern", pattern.nnz(), values.len())?;
    let mut slots = filled(pattern.slots(), T::zero(), "the values")?;
    pattern.scatter(values, &mut slots)?;
    Ok(slots)
}

pub(super) fn check_values(operation: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Shape {
        operation,
        expected: format!("{expected} values, one for each entry"),
        found: format!("{found}"),
    })
}
