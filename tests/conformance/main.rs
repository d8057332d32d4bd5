//! Every operation, in every scalar, on every device of this machine, against sums without rounding.
//!
//! `NONIUS_DEVICE` narrows the run to one device; `NONIUS_REQUIRE_GPU=1` fails it where there is no GPU adapter.
//! Bounds follow from the scalar, the length and the operation.

#[macro_use]
#[path = "../support/devices.rs"]
mod devices;
#[path = "../sparse/cases.rs"]
#[allow(dead_code, reason = "files and random patterns are read on the host only")]
mod cases;
mod exact;
mod gemm;
mod gemv;
mod gemv_in_df64;
mod level1;
mod long;
mod norm;
mod reduce;
mod round;
mod sparse_conversion;
mod special;
mod spmm;
mod spmv;
mod spmv_rows;
mod support;
mod variants;
