//! Exact integers in residues: no rounding, no carries, and on a GPU only operations whose results WGSL promises.
//!
//! An integer u is held as u modulo several primes (a [`Basis`]), which tell all −⌊M/2⌋ ≤ u ≤ ⌊M/2⌋ apart, M their product.
//! Sums and products are those of the residues, each by itself. Signs and comparisons need all residues together: mixed
//! radix digits (Garner 1959; Suzuki and Murao 2010), or a fraction of about a hundred bits ([`Method`]). What could leave
//! the range is refused, never wrapped.
//!
//! Primes are below 2¹⁶, for every device, or between 2³⁰ and 2³¹, where a device multiplies 64 bits wide ([`Width`]). WGSL
//! promises what integers of 32 bits do; 64 bits are a feature beyond it, whose results tests compare with the host's.
//! Plots, and [`linear`] on any device, choose their own primes, which are below 2¹⁶.
//!
//! The fragments in `shaders/residue/lib` are the vocabulary for kernels that compute with residues: arithmetic modulo one
//! prime (`modular.wgsl`, `sums.wgsl`, and of the width `narrow.wgsl` or `wide.wgsl`, with the basis' table at binding 1 in
//! `table.wgsl`), a number in registers with its sign (`number.wgsl`, and of the width `fraction.wgsl` or
//! `fraction_wide.wgsl`), and intervals (`interval.wgsl`).

mod add;
mod basis;
mod compare;
mod extend;
mod fraction;
mod interval;
mod is_zero;
pub(crate) mod kernel_parts;
pub mod linear;
mod map;
mod mixed_radix;
mod mul;
mod neg;
mod pow;
mod prime;
mod sign;
mod sub;
mod table;
mod vector;
mod verdict;
mod weight;
mod width;

pub use add::add;
pub use basis::Basis;
pub(crate) use basis::residue;
pub use compare::compare;
pub use extend::extend;
pub use fraction::Method;
pub use interval::Interval;
pub use is_zero::is_zero;
pub use mul::mul;
pub use neg::neg;
pub use pow::pow;
pub use prime::Prime;
pub use sign::sign;
pub use sub::sub;
pub use table::Table;
pub use vector::Vector;
pub use width::Width;

use crate::device::kernel::Kernel;

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    let widths = [
        &add::ADD,
        &sub::SUB,
        &mul::MUL,
        &neg::NEG,
        &pow::POW,
        &extend::EXTEND,
        &sign::SIGN,
        &compare::COMPARE,
        &interval::MUL,
        &interval::POW,
    ];
    let mut kernels: Vec<_> = widths.iter().flat_map(|of| [&of.narrow, &of.wide]).collect();
    kernels.push(&is_zero::IS_ZERO);
    kernels.extend(linear::kernels());
    kernels
}
