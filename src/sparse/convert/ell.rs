//! ELL and ELL-R: every row padded to the longest, which the host knows from the row pointers, so that nothing is read back.
//! Three dispatches with that of the values, four for ELL-R.

use super::super::ell::form_of;
use super::super::format::Format;
use super::super::spmv::kernels::Numbers;
use super::{CsrOnGpu, GRID, Laid, Made, OPERANDS, READ, Step, WRITE, kernel};
use crate::device::kernel::{Kernel, fragment};
use crate::error::Result;

/// ELL, or ELL-R with the rows' lengths.
pub(super) fn lay_out<'a>(csr: &CsrOnGpu<'a>, format: Format) -> Result<Made<'a>> {
    let with_lengths = format == Format::EllR;
    let slots = csr.rows * csr.longest;
    let places = csr.places(slots)?;
    let step = Step {
        others: &[&places],
        slots,
        written: slots,
        ..Step::default()
    };
    csr.launch(&PLACES, slots, step)?;
    let columns = csr.indices("the columns of ELL", slots)?;
    csr.lay_columns(&places, &columns, slots)?;
    let mut arrays = vec![columns];
    if with_lengths {
        let lengths = csr.indices("the row lengths of ELL-R", csr.rows)?;
        let step = Step {
            others: &[&lengths],
            written: csr.rows,
            ..Step::default()
        };
        csr.launch(&LENGTHS, csr.rows, step)?;
        arrays.push(lengths);
    }
    let indices = slots + if with_lengths { csr.rows } else { 0 };
    Ok(Made {
        laid: Laid {
            form: form_of(format, csr.rows, csr.target),
            arrays,
            numbers: Numbers {
                width: csr.longest,
                ..Numbers::default()
            },
            constants: Vec::new(),
            rows: csr.rows,
            tunable: None,
            slots,
            bytes: 4 * indices as u64,
        },
        places: Some(places),
        index_bytes: 4 * indices as u64,
    })
}

static PLACES: Kernel = kernel(
    "entries of ELL",
    "place",
    fragment!("sparse/convert/ell.wgsl"),
    &[GRID, OPERANDS],
    &[READ, READ, WRITE],
);
static LENGTHS: Kernel = kernel(
    "lengths of rows",
    "measure",
    fragment!("sparse/convert/lengths.wgsl"),
    &[GRID, OPERANDS],
    &[READ, READ, WRITE],
);

pub(super) static KERNELS: [&Kernel; 2] = [&PLACES, &LENGTHS];
