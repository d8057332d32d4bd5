//! The first LU factorisation on a GPU, in its eight ways: what each takes, what it costs, and whether all agree with the
//! host. Tables, pictures and findings are what `nonius lu-study` makes of the same.
//!
//! `cargo run --release --example lu_study 128`

use nonius::dense::Matrix;
use nonius::lu::fragment::{Division, Handover, Plan, Variant, host, model, study};
use nonius::{Blocking, Device, Result, Select};

fn main() -> Result<()> {
    let n: u32 = std::env::args().nth(1).map_or(64, |text| {
        text.parse().unwrap_or_else(|_| {
            eprintln!("{text:?} is not an order, such as 128");
            std::process::exit(2)
        })
    });
    let order = n as usize;
    // Diagonally dominant: nothing pivots here.
    let a: Vec<f32> = (0..order * order)
        .map(|at| {
            let residue = (at % 1009 * (at % 1009) + 7 * at) % 1009;
            let diagonal = if at / order == at % order { n as f32 } else { 0.0 };
            residue as f32 / 1009.0 - 0.5 + diagonal
        })
        .collect();
    let mut expected = a.clone();
    host::factor(&mut expected, order)?;

    let device = Device::open(Select::Auto).block_on()?;
    println!("{}, N = {n}; milliseconds", device.name());
    println!(
        "                  total      GPU      CPU     copy  passes  copies  bytes copied  bytes referenced       flops"
    );
    let on_device = Matrix::from_rows(&device, order, order, &a)?;
    for variant in Variant::ALL {
        for handover in Handover::ALL {
            let plan = Plan {
                variant,
                handover,
                division: Division::Corrected,
            };
            let measured = study::measure(&on_device, plan, 3).block_on()?;
            let pairs = measured.factors.iter().zip(&expected);
            let differ = pairs.filter(|(found, host)| found.to_bits() != host.to_bits()).count();
            let counts = measured.counts;
            let as_modelled = counts == model::counts(variant, handover, n, 4);
            // A device without a clock has no times of its own.
            let time = |seconds: Option<f64>| seconds.map_or("-".to_owned(), |seconds| format!("{:.3}", 1e3 * seconds));
            println!(
                "{variant} {handover:<9}  {:>9.3}{:>9}{:>9.3}{:>9}{:>8}{:>8}{:>14}{:>18}{:>12}  {}, {}",
                1e3 * measured.total,
                time(measured.gpu),
                1e3 * measured.cpu,
                time(measured.copy),
                counts.passes,
                counts.copies,
                counts.copied_bytes,
                counts.referenced_bytes,
                counts.flops,
                if as_modelled { "as modelled" } else { "NOT as modelled" },
                if differ == 0 {
                    "the host's bits"
                } else {
                    "NOT the host's bits"
                },
            );
        }
    }
    Ok(())
}
