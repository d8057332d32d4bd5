//! A X = B for every matrix of a batch.

use super::factor::launches;
use super::shape::{CHUNK, ROWS, SYSTEMS, Shape, WIDTH};
use super::{Batch, BatchedLu};
use crate::dense::{Matrix, copy_block};
use crate::device::kernel::{Access, Constant, Kernel, Vocabulary, fragment};
use crate::device::precision::{Precision, Width};
use crate::device::{Gpu, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};
use crate::scalar::{Scalar, ScalarKind};

impl<T: Scalar> BatchedLu<T> {
    /// X with A X = B for every system: `b` has as many matrices, of n rows and any number of columns.
    ///
    /// Accuracy: `(A + ΔA) x = b` with |ΔA| ≤ γ·|L||U|, γ = 3n roundings (Higham 2002, theorem 9.4).
    /// Cost: as [`BatchedLu::substitute_in_place`], and a copy of `b`.
    ///
    /// # Errors
    /// [`Error::SingularSystem`] with the first system that has a column without a pivot, and this column;
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    ///
    /// ```
    /// use nonius::{Blocking, Device, Error, lu::batched::{Batch, BatchedLu}};
    /// let a = Batch::from_slice(&Device::host(), 3, 1, 1, &[2.0, 0.0, 4.0])?;
    /// let b = Batch::zeros(&Device::host(), 3, 1, 1)?;
    /// let x = BatchedLu::factor(a)?.solve(&b).block_on();
    /// assert_eq!(x.err(), Some(Error::SingularSystem { system: 1, column: 0 }));
    /// # Ok::<(), Error>(())
    /// ```
    pub async fn solve(&self, b: &Batch<T>) -> Result<Batch<T>> {
        self.check(b)?;
        self.check_regular().await?;
        let stacked = b.as_matrix();
        let mut copy = Matrix::zeros(b.device(), stacked.rows(), stacked.cols())?;
        copy_block(stacked, &mut copy)?;
        // A batch of no rows does not tell how many it has.
        let mut x = if copy.rows() == 0 {
            Batch::zeros(b.device(), b.count(), b.rows(), b.cols())?
        } else {
            Batch::from_matrix(copy, b.count())?
        };
        self.substitute_in_place(&mut x)?;
        Ok(x)
    }

    /// As [`BatchedLu::solve`]; X overwrites `b`, which is left as it was when a system is singular.
    ///
    /// # Errors
    /// As [`BatchedLu::solve`].
    pub async fn solve_in_place(&self, b: &mut Batch<T>) -> Result<()> {
        self.check(b)?;
        self.check_regular().await?;
        self.substitute_in_place(b)
    }

    /// As [`BatchedLu::solve_in_place`], without asking whether a system is singular, so that nothing waits: its X is not
    /// finite then, and the others' are what they are.
    ///
    /// Cost: of a system with m columns n² + 2nm elements read or written and n²m multiply-adds; one dispatch, or one for
    /// every 2³³ of these; on drivers that compute on the CPU one for every some thousand columns, too.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::DeviceMismatch`].
    pub fn substitute_in_place(&self, b: &mut Batch<T>) -> Result<()> {
        self.check(b)?;
        if b.count() == 0 || b.rows() == 0 || b.cols() == 0 {
            return Ok(());
        }
        match b.device().clone().ground() {
            Ground::Host => {
                on_host(self, b);
                Ok(())
            }
            Ground::Gpu(gpu) => on_gpu(gpu, self, b),
        }
    }

    async fn check_regular(&self) -> Result<()> {
        match self.first_singular().await? {
            Some((system, column)) => Err(Error::SingularSystem { system, column }),
            None => Ok(()),
        }
    }

    fn check(&self, b: &Batch<T>) -> Result<()> {
        self.factors.device().check_same("a batched solve", b.device())?;
        let (count, n) = (self.factors.count(), self.factors.rows());
        if b.count() == count && b.rows() == n {
            return Ok(());
        }
        Err(Error::Shape {
            operation: "a batched solve",
            expected: format!("{count} right-hand sides of {n} rows"),
            found: format!("{} of {} x {}", b.count(), b.rows(), b.cols()),
        })
    }
}

fn on_host<T: Scalar>(lu: &BatchedLu<T>, b: &mut Batch<T>) {
    let (n, m) = (b.rows(), b.cols());
    let systems = lu.factors.buffer().host().chunks_exact(n * n);
    let pivots = lu.pivots.host().chunks_exact(n);
    for ((a, pivots), b) in systems
        .zip(pivots)
        .zip(b.buffer_mut().host_mut().chunks_exact_mut(n * m))
    {
        for (k, pivot) in pivots.iter().enumerate() {
            (0..m).for_each(|j| b.swap(k * m + j, *pivot as usize * m + j));
        }
        let subtract = |b: &mut [T], i: usize, k: usize| {
            let negative = -a[i * n + k];
            (0..m).for_each(|j| b[i * m + j] = negative.mul_add(b[k * m + j], b[i * m + j]));
        };
        (0..n).for_each(|k| (k + 1..n).for_each(|i| subtract(b, i, k)));
        for k in (0..n).rev() {
            b[k * m..][..m].iter_mut().for_each(|x| *x /= a[k * n + k]);
            (0..k).for_each(|i| subtract(b, i, k));
        }
    }
}

fn on_gpu<T: Scalar>(gpu: &Gpu, lu: &BatchedLu<T>, b: &Batch<T>) -> Result<()> {
    let (count, n, m) = (b.count(), b.rows(), b.cols());
    let shape = Shape::of::<T>(b.device(), n);
    let [width, rows, chunk, systems, ..] = shape.constants();
    let together = match T::KIND {
        ScalarKind::F32 if m > 1 => 4,
        ScalarKind::F64 | ScalarKind::Df64 if m > 1 => 2,
        _ => 1,
    };
    // Turns of loops for the columns in work: both triangles, some columns of them a turn. A driver on the CPU may end what has
    // more than it allows.
    let turns = 2 * (n.div_ceil(chunk.1 as usize) + 1) + 1;
    let most = (b.device().adapter().kind.most_turns() - n) / turns;
    let in_a_launch = most.saturating_mul(together as usize);
    for begin in (0..m).step_by(in_a_launch) {
        let columns = in_a_launch.min(m - begin);
        let operations = (n * n * columns + n) as u64;
        for (first, end) in launches(count, operations, shape) {
            gpu.launch(&Launch {
                kernel: &SOLVE,
                precision: Precision::of::<T>(Width::Single),
                constants: &[width, rows, chunk, systems, (RIGHT.name, together)],
                params: Params::new()
                    .size("count", end)
                    .size("first", first)
                    .size("n", n)
                    .size("columns", m)
                    .size("begin", begin)
                    .size("end", begin + columns),
                buffers: &[lu.factors.buffer().gpu(), lu.pivots.gpu(), b.buffer().gpu()],
                grid: Grid::covering((end - first) as u64, shape.systems.into()),
                work: Work {
                    bytes: ((end - first) * n * (n + 2 * columns) * size_of::<T>()) as u64,
                    operations: (end - first) as u64 * operations,
                },
            })?;
        }
    }
    Ok(())
}

/// Right-hand sides that are solved for at once.
const RIGHT: Constant = Constant {
    name: "RIGHT",
    default: 1,
};

pub(super) static SOLVE: Kernel = Kernel {
    name: "lu::batched::solve",
    entry: "solve",
    source: fragment!("lu/batched/solve.wgsl"),
    fragments: &[fragment!("lib/grid.wgsl"), fragment!("lu/batched/rows.wgsl")],
    bindings: &[Access::Read, Access::Read, Access::ReadWrite],
    integers: &["count", "first", "n", "columns", "begin", "end"],
    scalars: &[],
    constants: &[WIDTH, ROWS, CHUNK, SYSTEMS, RIGHT],
    vocabulary: Vocabulary::Elements,
};
