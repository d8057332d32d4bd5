//! Vectors and matrices, and what is done with them element by element, in sums and in products.
//!
//! Every operation is a function that takes views of its operands, checks them, and records. Operands of one call live
//! on one device. Reductions return a future of the host's value, and have an `_into` form that leaves it on the device.

mod amax;
mod asum;
mod axpy;
mod axpyz;
mod check;
mod copy;
mod copy_block;
mod dot;
mod fill;
mod gemm;
mod gemv;
mod hadamard;
mod iamax;
mod map;
mod matrix;
mod norm;
mod nrm2;
mod reduce;
mod round;
mod scal;
mod sum;
mod vector;
mod xpay;

pub(crate) use amax::larger;
pub use amax::{amax, amax_into};
pub use asum::{asum, asum_into};
pub use axpy::axpy;
pub use axpyz::axpyz;
pub use copy::copy;
pub use copy_block::copy_block;
pub(crate) use dot::dot_of_partials;
pub use dot::{dot, dot_in_df64, dot_into};
pub use fill::fill;
pub use gemm::gemm;
pub use gemv::{gemv, gemv_in_df64};
pub use hadamard::hadamard;
pub use iamax::iamax;
pub use matrix::{Matrix, MatrixView, MatrixViewMut};
pub(crate) use norm::lanes_of_line;
pub use norm::{norm_frobenius, norm_inf, norm_inf_into, norm_max, norm_max_into, norm1};
pub use nrm2::{nrm2, nrm2_in_df64, nrm2_into};
pub(crate) use round::check_narrower;
pub use round::round;
pub use scal::scal;
pub use sum::{sum, sum_into};
pub use vector::{Vector, VectorView, VectorViewMut};
pub use xpay::xpay;

use crate::device::kernel::Kernel;
use crate::tuning::Tunable;

/// Every operation of this module with something to choose.
#[must_use]
pub fn tunables() -> [&'static Tunable; 3] {
    [&gemv::GEMV, &gemv::GEMV_TRANSPOSED, &gemm::GEMM]
}

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    let mut kernels = vec![
        &fill::FILL,
        &scal::SCAL,
        &copy::COPY,
        &copy_block::COPY_BLOCK,
        &copy_block::COPY_BLOCK_LONG,
        &axpy::AXPY,
        &xpay::XPAY,
        &axpyz::AXPYZ,
        &hadamard::HADAMARD,
        &norm::NORM,
        &round::ROUND,
    ];
    kernels.extend(gemv::KERNELS);
    kernels.extend(gemm::KERNELS);
    for reduction in [
        &dot::DOT,
        &sum::SUM,
        &asum::ASUM,
        &amax::AMAX,
        &nrm2::NRM2,
        &iamax::IAMAX,
    ] {
        kernels.extend([&reduction.partial, &reduction.last]);
    }
    kernels
}
