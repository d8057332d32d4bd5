//! What a device's arithmetic is really like, and which version of each scalar was chosen for it.
//!
//! `cargo run --release --example arithmetic`

use nonius::{Blocking, Device, Result, Select};

fn main() -> Result<()> {
    let device = Device::open(Select::Auto).block_on()?;
    println!("{}", device.name());
    let Some(arithmetic) = device.arithmetic() else {
        println!("IEEE 754, correctly rounded");
        return Ok(());
    };
    for choice in arithmetic.choices() {
        match &choice.version {
            Ok(version) => println!("{:<4}  {version}", choice.scalar.name()),
            Err(reason) => println!("{:<4}  refused: {reason}", choice.scalar.name()),
        }
    }
    let Some((_, reports)) = device.measure_arithmetic().block_on()? else {
        return Ok(());
    };
    for report in reports {
        for range in report.ulps {
            println!(
                "{} {:<4}  errs by {:.3} to {:.3} ulp",
                report.word, range.operation, range.low, range.high
            );
        }
    }
    Ok(())
}
