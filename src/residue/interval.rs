//! Intervals of integers, with ends in residues.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};

use super::basis::Basis;
use super::compare::compare;
use super::fraction::Method;
use super::map::{WORKGROUP, no_scalar};
use super::table::Table;
use super::vector::Vector;
use super::verdict::{CONSTANTS, constants, kernels, products, turns};
use super::width::Widths;
use super::{add, pow, sub};
use crate::device::kernel::{Access, Fragment, Kernel, Vocabulary};
use crate::device::{Buffer, Grid, Ground, Launch, Params, Work};
use crate::error::{Error, Result};

/// `n` intervals [lower, upper] of integers on a device, by the rules of Suzuki and Murao (2010, section 3.2). All results
/// are exact: their ends are integers, so nothing is rounded outwards.
///
/// ```
/// use nonius::{Blocking, Device, residue::{Basis, Interval, Method, Table}};
/// let table = Table::new(&Device::host(), &Basis::largest(3)?)?;
/// let x = Interval::from_integers(&table, &[((-3).into(), 2.into())])?;
/// let product = x.mul(&x, Method::default())?;
/// assert_eq!(product.to_integers().block_on()?, [((-6).into(), 9.into())]);
/// // A power knows that its factors are the same.
/// let square = x.pow(2, Method::default())?;
/// assert_eq!(square.to_integers().block_on()?, [(0.into(), 9.into())]);
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Debug)]
pub struct Interval {
    lower: Vector,
    upper: Vector,
}

impl Interval {
    /// The intervals with these ends.
    ///
    /// # Errors
    /// [`Error::Shape`] where an upper end is below the lower; as [`Vector::on`].
    pub fn from_integers(table: &Table, ends: &[(BigInt, BigInt)]) -> Result<Self> {
        let turned = ends.iter().position(|(lower, upper)| lower > upper);
        if let Some(i) = turned {
            return Err(disorder(i));
        }
        let (lower, upper): (Vec<_>, Vec<_>) = ends.iter().cloned().unzip();
        Ok(Self {
            lower: Vector::on(table, &lower)?,
            upper: Vector::on(table, &upper)?,
        })
    }

    /// The intervals between two vectors. Waits for a comparison, and reads back n `i32`s.
    ///
    /// # Errors
    /// [`Error::Shape`] where an upper end is below the lower, or the vectors do not fit together.
    pub async fn new(lower: Vector, upper: Vector, method: Method) -> Result<Self> {
        let order = compare(&lower, &upper, method)?.to_host().await?;
        match order.iter().position(|order| *order > 0) {
            Some(i) => Err(disorder(i)),
            None => Ok(Self { lower, upper }),
        }
    }

    /// The lower ends.
    #[must_use]
    pub fn lower(&self) -> &Vector {
        &self.lower
    }

    /// The upper ends.
    #[must_use]
    pub fn upper(&self) -> &Vector {
        &self.upper
    }

    /// The ends as integers, once everything recorded before is done.
    ///
    /// # Errors
    /// Whatever the device reports.
    pub async fn to_integers(&self) -> Result<Vec<(BigInt, BigInt)>> {
        let lower = self.lower.to_integers().await?;
        Ok(lower.into_iter().zip(self.upper.to_integers().await?).collect())
    }

    /// [x₁ + y₁, x₂ + y₂]. Cost: two dispatches.
    ///
    /// # Errors
    /// As [`add`](super::add()).
    pub fn add(&self, other: &Self) -> Result<Self> {
        Ok(Self {
            lower: add(&self.lower, &other.lower)?,
            upper: add(&self.upper, &other.upper)?,
        })
    }

    /// [x₁ − y₂, x₂ − y₁]. Cost: two dispatches.
    ///
    /// # Errors
    /// As [`add`](super::add()).
    pub fn sub(&self, other: &Self) -> Result<Self> {
        Ok(Self {
            lower: sub(&self.lower, &other.upper)?,
            upper: sub(&self.upper, &other.lower)?,
        })
    }

    /// Smallest and largest of the four products of ends, found by 4 signs of differences: the range must hold twice the
    /// product of the bounds. Cost: one dispatch, 4rn `u32`s read, 2rn written, 4r products and 4 signs for each interval.
    ///
    /// # Errors
    /// As [`mul`](super::mul()); [`Error::Shape`] for some 160 primes and more on drivers that compute on the CPU, which end long loops
    /// before their end.
    pub fn mul(&self, other: &Self, method: Method) -> Result<Self> {
        const OPERATION: &str = "a product of intervals in residues";
        self.lower.check_same(OPERATION, &other.lower)?;
        let bound = self.bound() * other.bound();
        self.basis().check_holds(OPERATION, &(&bound << 1))?;
        let operands = [&self.lower, &self.upper, &other.lower, &other.upper];
        let on_host = |i| {
            let products = [(0, 2), (0, 3), (1, 2), (1, 3)].map(|(x, y): (usize, usize)| {
                let factors = operands[x].host(i).zip(operands[y].host(i)).zip(self.basis().primes());
                factors.map(|((x, y), prime)| prime.mul(x, y)).collect::<Vec<_>>()
            });
            let mut ends = [&products[0], &products[0]];
            for product in &products[1..] {
                if self.order(method, product, ends[0]).is_lt() {
                    ends[0] = product;
                }
                if self.order(method, product, ends[1]).is_gt() {
                    ends[1] = product;
                }
            }
            ends.map(Clone::clone)
        };
        self.launch(&MUL, &operands, None, method, bound, on_host)
    }

    /// The powers of all numbers of the interval: those of the ends for odd exponents. For even ones, the larger power is that
    /// of the upper end exactly if x₁ + x₂ ≥ 0, and the smaller is the other, or 0 where the interval has 0 within: three
    /// signs, and no branches. The paper's cases give the same. [1, 1] for the exponent 0.
    ///
    /// Cost: one dispatch, 2rn `u32`s read and written, 4 log₂(exponent) r products and up to 3 signs for each interval.
    ///
    /// # Errors
    /// As [`pow`](super::pow()); for even exponents, the range must hold twice the bound, too; as [`Interval::mul`] on drivers that
    /// compute on the CPU.
    pub fn pow(&self, exponent: u32, method: Method) -> Result<Self> {
        const OPERATION: &str = "a power of intervals in residues";
        let bound = pow::bound(self.basis(), OPERATION, &self.bound(), exponent)?;
        if exponent.is_multiple_of(2) && exponent > 0 {
            self.basis().check_holds(OPERATION, &(self.bound() << 1))?;
        }
        let operands = [&self.lower, &self.upper];
        let on_host = |i| {
            let primes = || self.basis().primes();
            let power = |x: &Vector| {
                x.host(i)
                    .zip(primes())
                    .map(|(x, prime)| prime.pow(x, exponent))
                    .collect()
            };
            let ends: [Vec<u32>; 2] = operands.map(power);
            if exponent % 2 == 1 || exponent == 0 {
                return ends;
            }
            let sign = |x: &Vector| self.basis().sign_of(method, || x.host(i));
            let sum = || operands[0].host(i).zip(operands[1].host(i)).zip(primes());
            let sum = || sum().map(|((x, y), prime)| prime.add(x, y));
            let [first, second] = ends;
            let (lower, upper) = if self.basis().sign_of(method, sum).is_lt() {
                (second, first)
            } else {
                (first, second)
            };
            let straddles = sign(operands[0]).is_le() && sign(operands[1]).is_ge();
            [if straddles { vec![0; lower.len()] } else { lower }, upper]
        };
        self.launch(&POW, &operands, Some(exponent), method, bound, on_host)
    }

    fn basis(&self) -> &Basis {
        self.lower.basis()
    }

    fn bound(&self) -> BigUint {
        self.lower.bound().max(self.upper.bound()).clone()
    }

    fn order(&self, method: Method, x: &[u32], y: &[u32]) -> Ordering {
        let difference = || {
            x.iter()
                .zip(y)
                .zip(self.basis().primes())
                .map(|((x, y), prime)| prime.sub(*x, *y))
        };
        self.basis().sign_of(method, difference)
    }

    fn launch(
        &self,
        kernels: &'static Widths,
        operands: &[&Vector],
        exponent: Option<u32>,
        method: Method,
        bound: BigUint,
        on_host: impl Fn(usize) -> [Vec<u32>; 2],
    ) -> Result<Self> {
        let (device, n, primes) = (self.lower.device(), self.lower.len(), self.basis().len());
        // Four signs, and powers of two ends.
        device.check_turns("an interval in residues", 4 * turns(primes) + 80 * primes)?;
        let mut ends = [Buffer::zeros(device, n * primes)?, Buffer::zeros(device, n * primes)?];
        match device.ground() {
            Ground::Host => {
                for i in 0..n {
                    for (end, residues) in ends.iter_mut().zip(on_host(i)) {
                        end.host_mut()[i..]
                            .iter_mut()
                            .step_by(n)
                            .zip(residues)
                            .for_each(|(z, residue)| *z = residue);
                    }
                }
            }
            Ground::Gpu(_) if n == 0 => {}
            Ground::Gpu(gpu) => {
                let mut params = Params::new().size("n", n);
                if let Some(exponent) = exponent {
                    params = params.integer("exponent", exponent);
                }
                let mut buffers = vec![self.lower.table().buffer().gpu()];
                buffers.extend(operands.iter().map(|operand| operand.buffer().gpu()));
                buffers.extend(ends.iter().map(Buffer::gpu));
                let of_power = 4 * (u32::BITS - exponent.unwrap_or(1).leading_zeros()) as usize;
                gpu.launch(&Launch {
                    kernel: kernels.of(self.basis().width()),
                    precision: no_scalar(),
                    constants: &constants(primes, method),
                    params,
                    buffers: &buffers,
                    grid: Grid::covering(n as u64, u64::from(WORKGROUP.default)),
                    work: Work {
                        bytes: (4 * n * primes * (operands.len() + 2)) as u64,
                        operations: n as u64 * (4 * products(self.basis(), method) + 2 * primes * of_power) as u64,
                    },
                })?;
            }
        }
        let [lower, upper] = ends.map(|end| Vector::from_buffer(self.lower.table(), end, n, bound.clone()));
        Ok(Self { lower, upper })
    }
}

fn disorder(i: usize) -> Error {
    Error::Shape {
        operation: "an interval of integers",
        expected: "lower ends that are not above the upper".to_owned(),
        found: format!("interval {i}, whose lower end is"),
    }
}

const fn kernel(
    name: &'static str,
    entry: &'static str,
    source: Fragment,
    fragments: &'static [Fragment],
    bindings: &'static [Access],
    integers: &'static [&'static str],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings,
        integers,
        scalars: &[],
        constants: CONSTANTS,
        vocabulary: Vocabulary::Integers,
    }
}

const IN: Access = Access::Read;
const OUT: Access = Access::ReadWrite;

const fn mul_kernel(name: &'static str, source: Fragment, fragments: &'static [Fragment]) -> Kernel {
    let bindings = &[IN, IN, IN, IN, IN, OUT, OUT];
    kernel(name, "interval_mul", source, fragments, bindings, &["n"])
}

const fn pow_kernel(name: &'static str, source: Fragment, fragments: &'static [Fragment]) -> Kernel {
    let bindings = &[IN, IN, IN, OUT, OUT];
    kernel(name, "interval_pow", source, fragments, bindings, &["n", "exponent"])
}

pub(super) static MUL: Widths = kernels!(
    mul_kernel,
    "residue interval_mul",
    "residue/interval_mul.wgsl",
    "residue/lib/interval.wgsl"
);

pub(super) static POW: Widths = kernels!(
    pow_kernel,
    "residue interval_pow",
    "residue/interval_pow.wgsl",
    "residue/lib/interval.wgsl"
);
