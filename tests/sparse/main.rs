//! Formats of sparse matrices: what they hold, what they take, and what they compute. On the host.

mod cases;
mod collection;
mod corrupt;
mod footprint;
mod generate;
#[cfg(target_os = "linux")]
#[path = "../support/little_memory.rs"]
mod little_memory;
mod paper;
mod products;
mod reorder;
mod round_trips;
