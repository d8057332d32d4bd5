//! P A = L U: Gaussian elimination with partial pivoting, and what is solved with it.
//!
//! Blocked and right-looking (Golub and Van Loan 2013, section 3.2.11), at two levels. A block of 128 columns is factored
//! panel by panel; its row exchanges are done in all columns at once, its rows of U are solved for, and the rest is
//! updated by one matrix product. Where so few columns are left that panels bring all of them up to date, they are one
//! block. A panel is 2 to 16 columns in the registers of one workgroup, or of several where a device was seen to run them
//! at once, and while these work, the others do in the same dispatch what the panel before asks, and a part of the last
//! block's product. Where several workgroups hold a panel, all panels of a block may be in one dispatch, each behind the
//! ones before it. Rows stay where they are until the block is done: each knows the place that LAPACK's exchanges would
//! have given it. Panels that no workgroups hold are worked on in memory, a dispatch a column; those of drivers that compute
//! on the CPU in memory, too, but by one workgroup in one dispatch, unless they are very tall. Without pivoting, a block on
//! the diagonal is factored while the others do the last block's product, and what is beside it solved for at once. Nothing
//! is read back.
//!
//! The factors then solve with A and its transpose, give determinant, inverse and condition number, say how much elements
//! grew, and refine a solution with bounds of its errors; [`solve_mixed`] makes them in a low precision. How near A is to
//! singular and how much elements grew need A as it was: take its norm ([`crate::dense::norm1`]), or keep a copy, before it
//! is factored in its own memory.

pub mod batched;
mod blocked;
mod borders;
mod condition;
mod correct;
mod determinant;
mod diagonal;
mod diagonal_ahead;
mod diagonal_and_borders;
mod equilibrate;
mod estimate;
mod exchange;
mod exchange_and_borders;
mod factor;
pub mod fragment;
mod growth;
mod inverse;
mod invert_blocks;
mod inverted;
mod letters;
mod look_ahead;
mod mixed;
mod options;
mod original;
mod panel;
mod panel_alone;
mod permute_rows;
mod refine;
mod refined;
mod reorder;
mod round_rows;
mod scale_lines;
mod shape;
mod solve;
mod solve_block;
mod stages;
mod state;
mod step;
mod substitution;
mod swap_rows;
mod tournament;
mod trailing;
mod update;
mod upper_rows;

pub use condition::Norm;
pub use determinant::Determinant;
pub use equilibrate::{Equilibration, equilibrate};
pub use factor::Lu;
pub use mixed::{Failure, Mixed, Route, solve_mixed};
pub use options::{Options, Panels, Pivoting};
pub use refine::{Refinement, Residual, refine};
pub use refined::Refined;

use crate::device::kernel::{Constant, Kernel, WORKGROUP};
use crate::device::{AdapterKind, Device};

/// Columns of a panel on the host, and rows of a triangular block.
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
        &step::STEP_CREW,
        &exchange::EXCHANGE,
        &exchange_and_borders::EXCHANGE_AND_BORDERS,
        &reorder::REORDER,
        &panel::PANEL_KERNEL,
        &panel_alone::PANEL_ALONE,
        &panel_alone::PANEL_ALONE_LONG,
        &swap_rows::SWAP_ROWS,
        &swap_rows::SWAP_ROWS_LONG,
        &upper_rows::UPPER_ROWS,
        &upper_rows::UPPER_ROWS_LONG,
        &diagonal::DIAGONAL,
        &diagonal::DIAGONAL_REGISTERS,
        &diagonal_ahead::DIAGONAL_AHEAD,
        &diagonal_and_borders::DIAGONAL_AND_BORDERS,
        &borders::BORDERS,
        &borders::BORDERS_REGISTERS,
        &tournament::TOURNAMENT,
        &tournament::PLACE_WINNERS,
        &solve_block::SOLVE_BLOCK,
        &substitution::SUBSTITUTION,
        &invert_blocks::INVERT_BLOCKS,
        &inverted::INVERTED,
        &permute_rows::PERMUTE_ROWS,
        &growth::GROWTH,
        &refined::REFINED,
        &equilibrate::EQUILIBRATE,
        &scale_lines::SCALE_LINES,
        &round_rows::ROUND_ROWS,
        &correct::CORRECT,
    ];
    kernels.extend(batched::kernels());
    kernels.extend(fragment::kernels());
    kernels
}
