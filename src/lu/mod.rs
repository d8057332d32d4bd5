//! P A = L U: Gaussian elimination with partial pivoting, and what is solved with it.
//!
//! Blocked and right-looking (Golub and Van Loan 2013, section 3.2.11), at two levels. A block of 128 columns is factored
//! panel by panel; its row exchanges are done in all columns at once, its rows of U are solved for, and the rest is
//! updated by one matrix product. A panel is 4 to 16 columns in the registers of one workgroup, and while that works, the
//! others do in the same dispatch what the panel before asks. Rows stay where they are until the block is done: each knows
//! the place that LAPACK's exchanges would have given it. Drivers that compute on the CPU work on panels of 32 in memory.
//! Nothing is read back.

mod blocked;
mod exchange;
mod factor;
pub mod fragment;
mod panel;
mod permute_rows;
mod refine;
mod solve;
mod solve_block;
mod solve_right;
mod solve_rows;
mod state;
mod step;
mod swap_rows;
mod tournament;

pub use factor::{Lu, Options, Panels, Pivoting};
pub use refine::{Refinement, Residual, refine};

use crate::device::kernel::{Constant, Kernel, WORKGROUP};
use crate::device::{AdapterKind, Device};

/// Columns of a panel, and rows of a triangular block.
pub(crate) const PANEL: Constant = Constant {
    name: "PANEL",
    default: 32,
};

/// Invocations of a workgroup that waits at many barriers: on a driver that computes on the CPU, each wait of each of them
/// is a change of stacks.
fn waiting_invocations(device: &Device) -> u32 {
    match device.adapter().kind {
        AdapterKind::Software => 16,
        _ => WORKGROUP.default,
    }
}

/// Every kernel of this module, for the test that composes them all.
pub(crate) fn kernels() -> Vec<&'static Kernel> {
    let mut kernels = vec![
        &step::STEP_SUBGROUPS,
        &step::STEP_WORKGROUP,
        &exchange::EXCHANGE,
        &panel::PANEL_KERNEL,
        &swap_rows::SWAP_ROWS,
        &solve_rows::SOLVE_ROWS,
        &solve_right::SOLVE_RIGHT,
        &tournament::TOURNAMENT,
        &tournament::PLACE_WINNERS,
        &solve_block::SOLVE_BLOCK,
        &permute_rows::PERMUTE_ROWS,
    ];
    kernels.extend(fragment::kernels());
    kernels
}
