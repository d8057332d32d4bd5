//! The kernels of a format: three for each way to sum its rows.

use super::aim::Aim;
use crate::device::kernel::{Access, Constant, Fragment, Kernel, Vocabulary, fragment};
use crate::scalar::Scalar;

/// One way to sum the rows of a format, with what may be done with the sums.
#[derive(Debug)]
pub(crate) struct Form {
    /// y ← αAx + βy.
    pub(in crate::sparse) product: Kernel,
    /// r ← b − Ax.
    pub(in crate::sparse) residual: Kernel,
    /// y ← αAx + βy, and parts of yᵀw.
    pub(in crate::sparse) dot: Kernel,
    /// Rows of an invocation.
    pub(in crate::sparse) at_once: usize,
    /// Of a form by four rows an invocation, the one by single rows, for those that do not lie in fours or are too long; and
    /// the constants that it then has.
    pub(in crate::sparse) single: Option<(&'static Self, &'static [(&'static str, u32)])>,
}

impl Form {
    pub(in crate::sparse) fn kernels(&'static self) -> [&'static Kernel; 3] {
        [&self.product, &self.residual, &self.dot]
    }

    /// The workgroups that sum so many rows, by so many invocations each.
    pub(in crate::sparse) fn groups(&self, rows: usize, lanes: u32, constants: &[(&'static str, u32)]) -> u64 {
        let invocations = rows.div_ceil(self.at_once) as u64 * u64::from(lanes);
        invocations.div_ceil(WORKGROUP.value(constants).into())
    }

    pub(super) fn of<T: Scalar>(&'static self, aim: &Aim<'_, T>) -> &'static Kernel {
        match aim {
            Aim::Product(..) => &self.product,
            Aim::Residual(_) => &self.residual,
            Aim::Dot(..) => &self.dot,
        }
    }
}

pub(super) const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 256,
};
/// ROWS of spmv/fours.wgsl: as many columns are 16 bytes.
pub(in crate::sparse) const FOUR: usize = 4;
/// Entries of a row that one invocation has on their way.
pub(super) const UNROLL: Constant = Constant {
    name: "UNROLL",
    default: 4,
};
/// Invocations of a row.
pub(super) const LANES: Constant = Constant {
    name: "LANES",
    default: 32,
};
/// Entries of a block, more than which make a row long.
pub(in crate::sparse) const TILE: Constant = Constant {
    name: "TILE",
    default: 512,
};
/// C: the rows of a slice.
pub(in crate::sparse) const HEIGHT: Constant = Constant {
    name: "HEIGHT",
    default: 32,
};
/// Whether rows were sorted.
pub(in crate::sparse) const ORDERED: Constant = Constant {
    name: "ORDERED",
    default: 1,
};

/// The columns of packed descriptors.
pub(in crate::sparse) const PACKED_RUNS: Fragment = fragment!("sparse/packed/runs.wgsl");
pub(in crate::sparse) const GRID: Fragment = fragment!("lib/grid.wgsl");
pub(in crate::sparse) const OPERANDS: Fragment = fragment!("sparse/spmv/operands.wgsl");
pub(in crate::sparse) const RESULT: Fragment = fragment!("sparse/spmv/result.wgsl");
pub(in crate::sparse) const RESIDUAL: Fragment = fragment!("sparse/spmv/residual.wgsl");
pub(in crate::sparse) const HALVES: Fragment = fragment!("sparse/spmv/halves.wgsl");
pub(in crate::sparse) const DOT: Fragment = fragment!("sparse/spmv/dot.wgsl");

/// A [`Form`]: its name, its entry point, the number of its arrays with the values, and its files, its own first. `adds lanes`
/// says of one that its rows are shared by invocations; dot products are in any case. `by packs` says that values are read 16
/// bytes at a time, `four rows of` that besides an invocation sums so many, which the form it names sums one by one, and `four rows`
/// that it sums so many whose values are read one by one, with `or` the form by single rows.
macro_rules! form {
    (adds lanes, $($form:tt)*) => { form!(@ [HALVES] Elements, 1, None, $($form)*) };
    (by packs, $($form:tt)*) => { form!(@ [] Packs, 1, None, $($form)*) };
    (four rows, $($form:tt)*) => { form!(@ [] Elements, $crate::sparse::spmv::form::FOUR, None, $($form)*) };
    (four rows or $single:ident, $($form:tt)*) => {
        form!(@ [] Elements, $crate::sparse::spmv::form::FOUR, Some((&$single, &[])), $($form)*)
    };
    (four rows of $single:ident by $unroll:literal, $($form:tt)*) => {
        form!(@ [] Packs, $crate::sparse::spmv::form::FOUR, Some((&$single, &[("UNROLL", $unroll)])), $($form)*)
    };
    (
        @ [$($halves:ident)?] $reads:ident, $at_once:expr, $single:expr,
        $name:literal, $entry:literal, $arrays:literal, $source:literal $(, $fragment:literal)*
    ) => {{
        use $crate::device::kernel::{Fragment, Vocabulary, fragment};
        use $crate::sparse::spmv::form::{DOT, Form, GRID, HALVES, OPERANDS, RESIDUAL, RESULT, bindings, kernel};
        const SOURCE: Fragment = fragment!($source);
        Form {
            product: kernel(
                concat!("spmv ", $name), $entry, Vocabulary::$reads, SOURCE,
                &[GRID, OPERANDS, $($halves,)? $(fragment!($fragment),)* RESULT],
                bindings($arrays, 0),
            ),
            residual: kernel(
                concat!("residual ", $name), $entry, Vocabulary::$reads, SOURCE,
                &[GRID, OPERANDS, $($halves,)? $(fragment!($fragment),)* RESIDUAL],
                bindings($arrays, 1),
            ),
            dot: kernel(
                concat!("spmv_dot ", $name), $entry, Vocabulary::$reads, SOURCE,
                &[GRID, OPERANDS, HALVES, $(fragment!($fragment),)* DOT],
                bindings($arrays, 2),
            ),
            at_once: $at_once,
            single: $single,
        }
    }};
    ($name:literal $($form:tt)*) => { form!(@ [] Elements, 1, None, $name $($form)*) };
}
pub(in crate::sparse) use form;

/// The arrays, x, y, and what an aim has beside them: 7 at most, since the barrier of some versions of a pair is one more.
pub(in crate::sparse) const fn bindings(arrays: usize, beside: usize) -> &'static [Access] {
    const R: Access = Access::Read;
    const W: Access = Access::ReadWrite;
    let all: &'static [Access] = match arrays {
        2 => &[R, R, R, W, R, W],
        _ => &[R, R, R, R, W, R, W],
    };
    all.split_at(arrays + 2 + beside).0
}

pub(in crate::sparse) const fn kernel(
    name: &'static str,
    entry: &'static str,
    vocabulary: Vocabulary,
    source: Fragment,
    fragments: &'static [Fragment],
    bindings: &'static [Access],
) -> Kernel {
    Kernel {
        name,
        entry,
        source,
        fragments,
        bindings,
        integers: &[
            "rows",
            "width",
            "isolated_values",
            "isolated_columns",
            "column_bits",
            "blocks",
            "first_part",
            "x_offset",
            "x_stride",
            "y_offset",
            "y_stride",
            "reads_y",
            "other_offset",
            "other_stride",
        ],
        scalars: &["alpha", "beta"],
        constants: &[WORKGROUP, UNROLL, LANES, TILE, HEIGHT, ORDERED],
        vocabulary,
    }
}
