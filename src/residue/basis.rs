//! A basis: the primes that integers are divided by, and everything that depends on them alone.

use std::fmt;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{ToPrimitive as _, Zero as _};

use super::prime::Prime;
use super::weight::Weight;
use super::width::Width;
use crate::error::{Error, Result};

/// Distinct primes m₁, …, mᵣ of one [`Width`], odd ones below 2¹⁶ or such between 2³⁰ and 2³¹, whose product M bounds what
/// residues can tell apart: −⌊M/2⌋ ≤ u ≤ ⌊M/2⌋.
///
/// Narrow primes are what every device computes with, and what is taken where no width is asked for. (Suzuki and Murao 2010 end the range before ⌊M/2⌋, which is right where M is even. Here M is odd, and these are exactly
/// its M residue classes.) A handle: cloning copies nothing.
///
/// ```
/// use nonius::residue::{Basis, Width};
/// let basis = Basis::largest(2)?;
/// assert_eq!(basis.primes().map(|prime| prime.value()).collect::<Vec<_>>(), [65_521, 65_519]);
/// assert_eq!(basis.half(), &(65_521_u64 * 65_519 / 2).into());
/// let residues = basis.residues(&(-1).into())?;
/// assert_eq!(basis.integer(&residues)?, (-1).into());
/// // 62 bits in either width.
/// let bound = (1_u64 << 60).into();
/// assert_eq!((Basis::for_bound(&bound)?.len(), Basis::for_bound_in(Width::Wide, &bound)?.len()), (4, 2));
/// # Ok::<(), nonius::Error>(())
/// ```
#[derive(Clone)]
pub struct Basis(Arc<Inner>);

struct Inner {
    primes: Vec<Prime>,
    modulus: BigUint,
    half: BigUint,
    /// mᵢ⁻¹ mod mₖ for i < k, in Montgomery's form, the i of each k together: Garner's constants.
    inverses: Vec<u32>,
    weights: Vec<Weight>,
}

/// `u32`s of the table for each narrow prime, before the inverses.
pub(crate) const TABLE_ROW: usize = 12;

impl Basis {
    /// The primes that are given, in their order: all narrow, or all wide.
    ///
    /// No prime may be below half of one before it, since then a digit of mixed radix would not be a residue of the next
    /// prime after one conditional subtraction. Ascending primes never are, nor are primes above 2¹⁵ or wide ones.
    ///
    /// Cost: r²/2 inverses and r²/2 `u32`s.
    ///
    /// # Errors
    /// [`Error::Basis`] for none, for what is neither an odd prime below 2¹⁶ nor one between 2³⁰ and 2³¹, for both of these
    /// together, for a prime given twice, for a prime below half of one before it, and for more than 4096 wide primes.
    pub fn new(primes: &[u32]) -> Result<Self> {
        let refuse = |reason: String| Err(Error::Basis { reason });
        if primes.is_empty() {
            return refuse("it has no primes".to_owned());
        }
        let mut sorted = primes.to_vec();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return refuse(format!("{} is given twice", pair[0]));
        }
        let primes = primes.iter().map(|p| Prime::new(*p)).collect::<Result<Vec<_>>>()?;
        let width = primes[0].width();
        if let Some(other) = primes.iter().find(|prime| prime.width() != width) {
            return refuse(format!(
                "{} and {} are of two widths; all are {}, or all {}",
                primes[0].value(),
                other.value(),
                Width::Narrow.description(),
                Width::Wide.description()
            ));
        }
        if width == Width::Wide && primes.len() > width.most() {
            return refuse(format!("{} wide primes are more than {}", primes.len(), width.most()));
        }
        let mut largest = 0;
        for p in primes.iter().map(|prime| prime.value()) {
            if 2 * u64::from(p) < largest {
                return refuse(format!(
                    "{p} comes after {largest}, which is more than twice as large; ascending primes are allowed"
                ));
            }
            largest = largest.max(u64::from(p));
        }
        let modulus: BigUint = primes.iter().map(|prime| BigUint::from(prime.value())).product();
        let mut inverses = Vec::with_capacity(primes.len() * (primes.len() - 1) / 2);
        for (k, prime) in primes.iter().enumerate() {
            let of_earlier = primes[..k]
                .iter()
                .map(|earlier| prime.invert(prime.enter(earlier.value())));
            inverses.extend(of_earlier.map(|inverse| inverse.unwrap_or_else(|| unreachable!("distinct primes"))));
        }
        let weights = primes.iter().map(|prime| Weight::new(*prime, &primes)).collect();
        Ok(Self(Arc::new(Inner {
            half: &modulus >> 1,
            primes,
            modulus,
            inverses,
            weights,
        })))
    }

    /// The `count` largest primes below 2¹⁶, largest first, as the paper takes them.
    ///
    /// # Errors
    /// As [`Basis::largest_in`].
    pub fn largest(count: usize) -> Result<Self> {
        Self::largest_in(Width::Narrow, count)
    }

    /// The `count` largest primes of a width, largest first.
    ///
    /// # Errors
    /// [`Error::Basis`] for 0, and for more than the 3030 primes between 2¹⁵ and 2¹⁶, or than 4096 wide ones.
    pub fn largest_in(width: Width, count: usize) -> Result<Self> {
        let primes: Vec<u32> = large(width).take(count).collect();
        enough(width, count, primes.len())?;
        Self::new(&primes)
    }

    /// The fewest of the largest primes below 2¹⁶ that hold every |u| ≤ `bound`.
    ///
    /// # Errors
    /// As [`Basis::for_bound_in`].
    pub fn for_bound(bound: &BigUint) -> Result<Self> {
        Self::for_bound_in(Width::Narrow, bound)
    }

    /// The fewest of the largest primes of a width that hold every |u| ≤ `bound`.
    ///
    /// # Errors
    /// [`Error::Basis`] where the 3030 primes between 2¹⁵ and 2¹⁶ do not: beyond 2⁴⁷¹¹⁶; or where 4096 wide ones do not:
    /// beyond 2¹²⁶⁹⁷⁴.
    pub fn for_bound_in(width: Width, bound: &BigUint) -> Result<Self> {
        Self::new(&more(width, Vec::new(), BigUint::from(1_u32), bound)?)
    }

    /// These primes, and the `count` largest of their width that are not among them.
    ///
    /// # Errors
    /// [`Error::Basis`] where there are not so many, as [`Basis::largest_in`] counts them.
    pub fn extend(&self, count: usize) -> Result<Self> {
        let mut primes: Vec<u32> = self.primes().map(Prime::value).collect();
        let new: Vec<u32> = large(self.width())
            .filter(|p| !primes.contains(p))
            .take(count)
            .collect();
        enough(self.width(), count, new.len())?;
        primes.extend(new);
        Self::new(&primes)
    }

    /// These primes, and as many more of their width as it takes to hold every |u| ≤ `bound`.
    ///
    /// # Errors
    /// As [`Basis::for_bound_in`].
    pub fn extend_for_bound(&self, bound: &BigUint) -> Result<Self> {
        if self.holds(bound) {
            return Ok(self.clone());
        }
        let primes = self.primes().map(Prime::value).collect();
        Self::new(&more(self.width(), primes, self.modulus().clone(), bound)?)
    }

    /// How wide its primes are.
    #[must_use]
    pub fn width(&self) -> Width {
        self.0.primes[0].width()
    }

    /// r, the number of primes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a basis has at least one prime")]
    pub fn len(&self) -> usize {
        self.0.primes.len()
    }

    /// The primes, in their order.
    pub fn primes(&self) -> impl ExactSizeIterator<Item = Prime> + DoubleEndedIterator + '_ {
        self.0.primes.iter().copied()
    }

    /// M, the product of the primes.
    #[must_use]
    pub fn modulus(&self) -> &BigUint {
        &self.0.modulus
    }

    /// ⌊M/2⌋: the largest magnitude that residues hold.
    #[must_use]
    pub fn half(&self) -> &BigUint {
        &self.0.half
    }

    /// Whether every |u| ≤ `bound` is in the range.
    #[must_use]
    pub fn holds(&self, bound: &BigUint) -> bool {
        bound <= self.half()
    }

    /// Refuses what may leave the range.
    pub(crate) fn check_holds(&self, operation: &'static str, bound: &BigUint) -> Result<()> {
        if self.holds(bound) {
            return Ok(());
        }
        let (bound, range) = told_apart(bound, self.half());
        Err(Error::LeavesRange {
            operation,
            bound,
            range,
            primes: self.len(),
        })
    }

    /// The residues of `u` in Montgomery's form, one for each prime.
    ///
    /// # Errors
    /// [`Error::LeavesRange`] where |u| > ⌊M/2⌋.
    pub fn residues(&self, u: &BigInt) -> Result<Vec<u32>> {
        self.check_holds("residues of an integer", u.magnitude())?;
        Ok(self.primes().map(|prime| residue(prime, u)).collect())
    }

    /// The integer in the range that has these residues, in Montgomery's form: Garner's sum of its mixed radix digits,
    /// u = v₁ + m₁(v₂ + m₂(… + mᵣ₋₁ vᵣ)). Cost: r²/2 products modulo primes and r²/8 of words.
    ///
    /// # Errors
    /// [`Error::Shape`] where there is not one residue below its prime for each prime.
    pub fn integer(&self, residues: &[u32]) -> Result<BigInt> {
        self.check_residues("an integer from residues", residues)?;
        let digits = self.digits(residues.iter().copied());
        let mut u = BigInt::zero();
        for (prime, digit) in self.primes().zip(digits).rev() {
            u = u * prime.value() + digit;
        }
        Ok(u)
    }

    pub(crate) fn check_residues(&self, operation: &'static str, residues: &[u32]) -> Result<()> {
        let fit = |(residue, prime): (&u32, Prime)| *residue < prime.value();
        if residues.len() == self.len() && residues.iter().zip(self.primes()).all(fit) {
            return Ok(());
        }
        let largest = residues.iter().max();
        Err(Error::Shape {
            operation,
            expected: format!("{} residues, each below its prime", self.len()),
            found: format!(
                "{}, the largest {}",
                residues.len(),
                largest.map_or(0, |largest| *largest)
            ),
        })
    }

    /// mᵢ⁻¹ mod mₖ in Montgomery's form, for i < k.
    pub(crate) fn inverse(&self, i: usize, k: usize) -> u32 {
        self.0.inverses[k * (k - 1) / 2 + i]
    }

    pub(crate) fn prime(&self, k: usize) -> Prime {
        self.0.primes[k]
    }

    pub(crate) fn weights(&self) -> &[Weight] {
        &self.0.weights
    }

    /// What kernels read (`shaders/residue/lib/modular.wgsl`): for each prime m its value, m⁻¹ mod R, R
    /// mod m, R² mod m, and the limbs of its weight, eight of 11 bits or, of wide primes, four of 26; then Garner's inverses of
    /// mᵢ modulo mₖ for i < k, the i of each k together.
    #[must_use]
    pub fn table(&self) -> Vec<u32> {
        let mut table = Vec::with_capacity(TABLE_ROW * self.len() + self.0.inverses.len());
        for (prime, weight) in self.primes().zip(self.weights()) {
            table.extend(prime.constants());
            table.extend(weight.limbs(self.width()));
        }
        table.extend(&self.0.inverses);
        table
    }
}

/// The residue of an integer, in Montgomery's form.
pub(crate) fn residue(prime: Prime, u: &BigInt) -> u32 {
    let magnitude = (u.magnitude() % prime.value()).to_u32();
    let magnitude = prime.enter(magnitude.unwrap_or_else(|| unreachable!("below a prime")));
    if u.sign() == Sign::Minus {
        prime.neg(magnitude)
    } else {
        magnitude
    }
}

/// The largest primes of a width, largest first: what bases are made of.
fn large(width: Width) -> impl Iterator<Item = u32> {
    Prime::descending(width).take(width.most())
}

/// The fewest of the largest narrow primes that hold every |u| ≤ `bound`, without what a basis knows of them.
pub(crate) fn primes_for(bound: &BigUint) -> Result<Vec<Prime>> {
    let primes = more(Width::Narrow, Vec::new(), BigUint::from(1_u32), bound)?;
    primes.into_iter().map(Prime::new).collect()
}

/// The `count` largest narrow primes that are not among these.
pub(crate) fn further_primes(given: &[Prime], count: usize) -> Result<Vec<Prime>> {
    let fresh = large(Width::Narrow).filter(|p| given.iter().all(|given| given.value() != *p));
    let primes: Vec<u32> = fresh.take(count).collect();
    enough(Width::Narrow, count, primes.len())?;
    primes.into_iter().map(Prime::new).collect()
}

fn enough(width: Width, asked: usize, found: usize) -> Result<()> {
    if asked == found {
        return Ok(());
    }
    Err(Error::Basis {
        reason: format!(
            "{asked} primes are asked for, where the {} largest {} are there",
            width.most(),
            width.description()
        ),
    })
}

/// More primes, until the half of their product reaches `bound`.
fn more(width: Width, mut primes: Vec<u32>, mut modulus: BigUint, bound: &BigUint) -> Result<Vec<u32>> {
    let given = primes.clone();
    let mut candidates = large(width).filter(|p| !given.contains(p));
    while primes.is_empty() || (&modulus >> 1) < *bound {
        let Some(p) = candidates.next() else {
            return Err(Error::Basis {
                reason: format!(
                    "magnitudes of {} bits need more than the {} largest {}",
                    bound.bits(),
                    width.most(),
                    width.description()
                ),
            });
        };
        modulus *= p;
        primes.push(p);
    }
    Ok(primes)
}

/// Two numbers in text, abbreviated as long as they still differ.
fn told_apart(x: &BigUint, y: &BigUint) -> (String, String) {
    let short = |text: &str| format!("{}.{}e{}", &text[..1], &text[1..12], text.len() - 1);
    let (x, y) = (x.to_string(), y.to_string());
    if x.len().max(y.len()) > 40 && x.len().min(y.len()) > 12 && (x.len() != y.len() || x[..12] != y[..12]) {
        return (short(&x), short(&y));
    }
    (x, y)
}

impl PartialEq for Basis {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.primes == other.0.primes
    }
}

impl Eq for Basis {}

impl fmt::Debug for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.primes().map(Prime::value)).finish()
    }
}
