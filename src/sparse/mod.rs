//! Sparse matrices: triplets ([`Coo`]) and the files they come in ([`matrix_market`]); the formats that products are
//! computed in, what each takes ([`Footprint`]) and which to take ([`auto`]); reordering, and matrices to try them on
//! ([`generate`]).
//!
//! | format | bytes with values of v | good for |
//! | --- | --- | --- |
//! | [`Csr`], [`Csc`] | (v + 4)·nnz + 4(rows + 1) | anything |
//! | [`Ell`], [`EllR`] | (v + 4)·rows·longest | rows of one length |
//! | [`Sell`] | (v + 4)·nnz + padding of slices | rows of similar length |
//! | [`RbpCsr`], [`RbpEll`], [`RbpEllR`] | v·nnz + 8 a run + 4 an isolated entry + 12(rows + 1) | runs of three and more |
//! | [`PackedCsr`], [`PackedSell`] | v·nnz + 4 a run | runs of two and more |
//!
//! All are [`SparseMatrix`] over a [`Pattern`], made from CSR and turned back into it exactly.

pub mod auto;
pub mod generate;
pub mod matrix_market;
pub mod reorder;

mod abreast;
mod bands;
mod convert;
mod coo;
mod csc;
mod csr;
mod csr_pattern;
mod device_matrix;
mod ell;
mod footprint;
mod format;
mod gather;
mod indices;
#[cfg(any(feature = "nalgebra-sparse", feature = "sprs"))]
mod interop;
mod matrix;
mod packed;
mod rbp;
mod runs;
mod sell;
mod slices;
mod spmm;
mod spmv;
mod stored;

pub use coo::Coo;
pub use csc::{Csc, CscPattern};
pub use csr::Csr;
pub use csr_pattern::CsrPattern;
pub use device_matrix::DeviceMatrix;
pub use ell::{Ell, EllPattern, EllR, EllRPattern, PADDING};
pub use footprint::{Array, Footprint};
pub use format::Format;
pub use matrix::{Pattern, SparseMatrix};
pub use packed::{NO_RUN, PackedCsr, PackedCsrPattern, PackedSell, PackedSellPattern, Packing};
pub use rbp::{RbpCsr, RbpCsrPattern, RbpEll, RbpEllPattern, RbpEllR, RbpEllRPattern};
pub use sell::{Sell, SellPattern};
pub use slices::Slices;
pub use spmm::{spmm, spmm_transposed};
pub use spmv::schedule::Schedule;
pub use spmv::{residual, spmv, spmv_dot, spmv_transposed};
pub use stored::Stored;

use crate::device::kernel::Kernel;
use crate::tuning::Tunable;

/// Every product of this module with something to choose: of CSR, SELL, packed CSR and packed SELL.
///
/// ```
/// use nonius::sparse;
///
/// let names = sparse::tunables().map(|tunable| tunable.name);
/// assert_eq!(names, ["spmv_csr", "spmv_sell", "spmv_packed_csr", "spmv_packed_sell"]);
/// ```
#[must_use]
pub fn tunables() -> [&'static Tunable; 4] {
    [&csr::TUNED, &sell::TUNED, &packed::csr::TUNED, &packed::sell::TUNED].map(|tuned| &tuned.tunable)
}

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    let forms = [
        &csr::PER_ROW,
        &csr::LANES,
        &csr::BY_QUADS,
        &csr::STREAMED,
        &ell::ELL,
        &ell::ELL_R,
        &ell::ELL_BY_FOURS,
        &ell::ELL_R_BY_FOURS,
        &sell::FORM,
        &sell::BY_FOURS,
        &rbp::csr::FORM,
        &rbp::csr::LANES,
        &rbp::csr::BY_QUADS,
        &rbp::csr::BY_FOURS,
        &rbp::ell::ELL,
        &rbp::ell::ELL_R,
        &rbp::ell::ELL_BY_FOURS,
        &rbp::ell::ELL_R_BY_FOURS,
        &packed::csr::FORM,
        &packed::csr::LANES,
        &packed::csr::BY_QUADS,
        &packed::csr::BY_FOURS,
        &packed::csr::STREAMED,
        &packed::sell::FORM,
        &packed::sell::BY_FOURS,
    ];
    let of_formats = forms.into_iter().flat_map(spmv::form::Form::kernels);
    let shared = spmv::kernels::shared()
        .chain(spmm::kernels::KERNELS)
        .chain([&packed::csr::CHUNK_SUMS, &packed::csr::PART_SUMS, &gather::GATHER])
        .chain(convert::kernels());
    of_formats.chain(shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::precision::{Precision, Width};
    use crate::device::{Adapter, AdapterKind, Device};

    /// What is measured on a GPU counts whatever becomes of kernels that it does not have.
    #[test]
    fn what_is_for_cpus_is_nothing_to_gpus() {
        let precision = Precision::of::<f32>(Width::Single);
        let of = |kind| Adapter {
            kind,
            ..Device::host().adapter().clone()
        };
        let [gpu, cpu] = [AdapterKind::Discrete, AdapterKind::Software].map(of);
        for tunable in tunables() {
            let on_cpu = tunable.on_cpu[0].variant(&[256]);
            assert!(tunable.admits(&on_cpu, &cpu, precision), "{on_cpu}");
            assert!(!tunable.admits(&on_cpu, &gpu, precision), "{on_cpu}");
            assert!(!tunable.variants(&gpu, precision).contains(&on_cpu), "{on_cpu}");
            let prints = [&gpu, &cpu].map(|adapter| tunable.fingerprint(adapter.kind, precision));
            assert_ne!(prints[0], prints[1], "{}", tunable.name);
        }
    }
}
