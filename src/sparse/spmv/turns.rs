//! Rows that are too long for the loops of a driver that computes on the CPU, which end without a word.

use super::super::format::Format;
use super::super::matrix::Pattern;
use super::form::{LANES, UNROLL};
use super::kernels::OnGpu;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::host_memory::filled;

/// Turns for an entry of the longest row where four are summed at once. Slot by slot: two loops, one after the other, and a
/// third turn for those in vain. Run by run: lanes of a vector, of which there are 16 at most, may have their long runs one after
/// the other, and what is not alike is gone through again; of RBP-ELL, isolated entries come behind, those of four rows in one loop.
const fn turns_of_fours(format: Format) -> usize {
    match format {
        Format::PackedSell | Format::RbpEll | Format::RbpEllR => 24,
        _ => 3,
    }
}

impl OnGpu {
    /// Refuses rows that are too long for the loops of a driver on the CPU, once the variant is chosen.
    pub(in crate::sparse) fn check_turns<P: Pattern>(&mut self, device: &Device, pattern: &P) -> Result<()> {
        let most = device.adapter().kind.most_turns();
        // Entries of a row may be gone through in several loops, whose turns count together.
        if pattern.nnz() <= most / 4 {
            return Ok(());
        }
        let mut lengths = filled(self.rows, 0, "the lengths of rows")?;
        pattern.walk(0..pattern.rows(), |row, column, _| match P::FORMAT {
            // Its rows here are its columns.
            Format::Csc => lengths[column as usize] += 1,
            _ => lengths[row] += 1,
        })?;
        self.longest = lengths.into_iter().max().unwrap_or(0);
        if self.longest > most / turns_of_fours(P::FORMAT) {
            self.leave_fours();
        }
        let lanes = self.constants.iter().find(|(name, _)| *name == LANES.name);
        let at_once = match lanes {
            // Each lane goes through all runs, of which a row may have as many as entries, or half as many.
            Some(_) if matches!(P::FORMAT, Format::PackedCsr | Format::RbpCsr) => 1,
            _ => UNROLL.value(&self.constants) * lanes.map_or(1, |(_, lanes)| *lanes),
        };
        // Runs and isolated entries have a loop each, a neighbour may have a longest row of the others, and what is left over is
        // summed one by one.
        let turns = 2 * (self.longest.div_ceil(at_once as usize) + at_once as usize);
        if !self.by_row || turns <= most {
            return Ok(());
        }
        Err(Error::Shape {
            operation: "DeviceMatrix",
            expected: format!(
                "at most {most} turns of a loop for a row as {} on {}, a driver that may end loops there (csr, streamed, and \
                 the host have no such limit)",
                P::FORMAT,
                device.name()
            ),
            found: format!("{turns}, for a row of {} entries", self.longest),
        })
    }
}
