//! P A = L U: Gaussian elimination with partial pivoting, and what is solved with it.
//!
//! Blocked and right-looking (Golub and Van Loan 2013, section 3.2.11): a panel of columns is factored with pivoting,
//! its row exchanges are done in the other columns, a block row of U is solved for, and the rest is updated by one
//! matrix product. Everything stays on the device; the pivots are read back once, at the end.

pub mod batched;
mod blocked;
mod exchange;
mod factor;
pub mod fragment;
mod panel;
mod permute_rows;
mod refine;
mod solve;
mod solve_block;
mod state;
mod step;
mod swap_rows;

pub use factor::{Lu, Options, Panels, Pivoting};
pub use refine::{Refinement, Residual, refine};

use crate::device::kernel::{Constant, Kernel};

/// Columns of a panel, and rows of a triangular block.
pub(crate) const PANEL: Constant = Constant {
    name: "PANEL",
    default: 32,
};

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    let mut kernels = vec![
        &step::STEP_SUBGROUPS,
        &step::STEP_WORKGROUP,
        &exchange::EXCHANGE,
        &panel::PANEL_KERNEL,
        &swap_rows::SWAP_ROWS,
        &solve_block::SOLVE_BLOCK,
        &permute_rows::PERMUTE_ROWS,
    ];
    kernels.extend(batched::kernels());
    kernels.extend(fragment::kernels());
    kernels
}
