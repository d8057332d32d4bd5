//! The numbers against exact integers: every bound over the whole range that it is promised for.

mod arithmetic;
mod cases;
mod convert;
mod exact;
mod text;
mod values;
mod words;
