//! Sums of f32 data in f32, and in pairs of f32: the same memory is read, and more of it is believed.
//!
//! `cargo run --release --example reductions`

use nonius::dense::{Vector, dot, dot_in_df64, iamax, nrm2};
use nonius::{Blocking, Device, Result, Scalar, Select};

fn main() -> Result<()> {
    let device = Device::open(Select::Auto).block_on()?;
    let n = 500_000_u32;
    // The second half cancels the first, but for the last term.
    let term = |i: u32| (i % 1009) as f32 * 1.001;
    let halves = (0..n).map(term).chain((0..n).map(|i| -term(i)));
    let x: Vec<f32> = halves.chain([1e-3]).collect();
    let ones = vec![1.0_f32; x.len()];
    let (x, ones) = (Vector::from_slice(&device, &x)?, Vector::from_slice(&device, &ones)?);
    println!("on {}", device.name());
    println!("sum in f32   {}", dot(&x, &ones).block_on()?);
    println!("sum in df64  {:.6}", dot_in_df64(&x, &ones).block_on()?.to_f64());
    println!(
        "norm         {:e}, largest at {:?}",
        nrm2(&x).block_on()?,
        iamax(&x).block_on()?
    );
    Ok(())
}
