//! Every kernel in every precision and version of its scalar: valid, translated for every backend, and laid out as Rust
//! lays it out. Needs no GPU.

mod browser;
mod layout;
mod rows;
mod translation;
mod variants;
mod vectors;
mod vocabulary;
