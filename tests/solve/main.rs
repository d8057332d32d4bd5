//! `solve`, on every device of this machine: what it promises, for matrices that are easy, hard, wide and singular.
//!
//! `NONIUS_DEVICE` narrows the run to one device; `NONIUS_REQUIRE_GPU=1` fails it where there is no GPU adapter.

mod certificate;
mod collection;
mod componentwise;
#[allow(dead_code, reason = "the tests of the factorisation use the rest")]
#[path = "../support/devices.rs"]
mod devices;
mod errors;
mod hard;
mod problem;
mod range;
mod rational;
