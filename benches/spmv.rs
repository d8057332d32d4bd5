//! Products of the host in every format against nalgebra-sparse's of CSR, in turns, so that what else the machine does meets
//! all of them: `cargo bench --features nalgebra-sparse --bench spmv`. Medians of milliseconds, and of the ratios of rounds.

use std::hint::black_box;
use std::time::Instant;

use nalgebra::DMatrix;
use nalgebra_sparse::CsrMatrix;
use nalgebra_sparse::ops::Op;
use nalgebra_sparse::ops::serial::spmm_csr_dense;
use nonius::sparse::{Format, Stored, generate};

const ROUNDS: usize = 41;

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    1e3 * start.elapsed().as_secs_f64()
}

fn pairs(name: &str) -> nonius::Result<()> {
    let a = generate::by_name(name)?;
    let theirs = CsrMatrix::from(&a);
    let x = DMatrix::from_fn(a.cols(), 1, |i, _| 0.5 + (i % 7) as f64);
    let mut product = DMatrix::zeros(a.rows(), 1);
    println!(
        "{name}, {} non-zeros, f64: ms, and nalgebra-sparse's time over it",
        a.nnz()
    );
    for format in Format::ALL {
        let ours = Stored::new(&a, format)?;
        let mut y = vec![0.0; a.rows()];
        let (mut times, mut rivals, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        // The first round is for caches.
        for round in 0..=ROUNDS {
            let mut outcome = Ok(());
            let time = milliseconds(|| outcome = ours.multiply(1.0, black_box(x.as_slice()), 0.0, &mut y));
            outcome?;
            let rival =
                milliseconds(|| spmm_csr_dense(0.0, &mut product, 1.0, Op::NoOp(&theirs), Op::NoOp(black_box(&x))));
            if round > 0 {
                times.push(time);
                rivals.push(rival);
                ratios.push(rival / time);
            }
        }
        let far = y
            .iter()
            .zip(&product)
            .map(|(ours, theirs)| (ours - theirs).abs())
            .fold(0.0, f64::max);
        let (time, rival, ratio) = (median(times), median(rivals), median(ratios));
        println!(
            "  {:<11} {time:>8.3} {rival:>8.3} {ratio:>6.2}   differing by {far:.1e}",
            format.name()
        );
    }
    Ok(())
}

fn main() {
    for name in ["stencil27:40", "elasticity:28"] {
        if let Err(error) = pairs(name) {
            println!("{name}: {error}");
        }
    }
}
