//! The first LU factorisation on a GPU, in its eight ways: what each takes, and whether all agree with the host.
//!
//! `cargo run --release --example lu_study 128`

use nonius::dense::Matrix;
use nonius::lu::fragment::{Division, Handover, Plan, Variant, host, study};
use nonius::{Blocking, Device, Result, Select};

fn main() -> Result<()> {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(64);
    // Diagonally dominant: nothing pivots here.
    let a: Vec<f32> = (0..n * n)
        .map(|at| {
            let residue = (at * at + 7 * at) % 1009;
            let diagonal = if at / n == at % n { n as f32 } else { 0.0 };
            residue as f32 / 1009.0 - 0.5 + diagonal
        })
        .collect();
    let mut expected = a.clone();
    host::factor(&mut expected, n)?;

    let device = Device::open(Select::Auto).block_on()?;
    println!("{}, N = {n}", device.name());
    let on_device = Matrix::from_rows(&device, n, n, &a)?;
    for variant in Variant::ALL {
        for handover in Handover::ALL {
            let plan = Plan {
                variant,
                handover,
                division: Division::Corrected,
            };
            let measured = study::measure(&on_device, plan, 3).block_on()?;
            let same = if measured.factors == expected { "" } else { " not" };
            println!(
                "{variant} {handover:<9}  {:8.3} ms, {:5} passes, {:4} copies;{same} the host's bits",
                1e3 * measured.total,
                measured.counts.passes,
                measured.counts.copies
            );
        }
    }
    Ok(())
}
