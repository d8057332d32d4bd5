//! Integers in residues, equal bit for bit to big integers, on every device of this machine.
//!
//! `NONIUS_DEVICE` narrows the run to one device; `NONIUS_REQUIRE_GPU=1` fails it where there is no GPU adapter.

mod basis;
#[path = "../support/devices.rs"]
mod devices;
mod intervals;
mod lifting;
mod linear;
mod numbers;
mod operations;
mod ranges;
mod signs;
mod wide;
