//! P A = L U and what is solved with it, in every scalar, on every device of this machine: LAPACK's test ratios and
//! matrix types (LAPACK Working Note 41), with residuals that are exact.
//!
//! `NONIUS_DEVICE` narrows the run to one device; `NONIUS_REQUIRE_GPU=1` fails it where there is no GPU adapter.

#[macro_use]
#[path = "../support/devices.rs"]
mod devices;
mod batched;
mod bounds;
#[allow(dead_code, reason = "the conformance tests use the rest")]
#[path = "../conformance/exact.rs"]
mod exact;
mod exactly;
mod fragment;
mod freivalds;
mod growth;
#[cfg(target_os = "linux")]
#[path = "../support/little_memory.rs"]
mod little_memory;
mod matrices;
mod mixed;
mod numbers;
mod panels;
mod ratios;
mod refinement;
mod scaled;
mod solves;
mod special;
mod types;
mod underflow;
mod unpivoted;
