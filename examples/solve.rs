//! Solves A x = b for a Matrix Market file on the best device, and says how well.
//!
//! `cargo run --release --example solve tests/data/west0479.mtx`

use nonius::solve::{Precision, solve};
use nonius::sparse::matrix_market;
use nonius::{Blocking, Device, Result, Select};

fn main() -> Result<()> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "tests/data/west0479.mtx".to_owned());
    let a = matrix_market::read(&path)?.into_coo()?;
    let b = vec![1.0; a.rows()];
    let device = Device::open(Select::Auto).block_on()?;
    let solution = solve(&device, &a, &b, Precision::Auto, &mut ()).block_on()?;
    for stage in &solution.stages {
        println!("{stage} on {}: backward errors {:?}", device.name(), stage.history);
    }
    println!("backward error of x: {:e}", solution.accuracy.backward_error);
    Ok(())
}
