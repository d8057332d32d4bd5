//! Products in every format on every device against nalgebra-sparse's of CSR, which has one thread, in turns, so that what else
//! the machine does meets all of them: `cargo bench --features nalgebra-sparse --bench spmv [-- MATRIX ...]`. Medians of
//! milliseconds of wall time, and of the ratios of rounds. CSC is left out: what it multiplies by is its transpose.

mod devices;

use std::hint::black_box;
use std::time::Instant;

use nalgebra::{ClosedAddAssign, ClosedMulAssign, DMatrix};
use nalgebra_sparse::CsrMatrix;
use nalgebra_sparse::ops::Op;
use nalgebra_sparse::ops::serial::spmm_csr_dense;
use nonius::dense::Vector;
use nonius::sparse::{Csr, DeviceMatrix, Format, generate, spmv};
use nonius::{Blocking, Device, Result, Scalar};

use devices::devices;

const ROUNDS: usize = 41;

/// Products between two waits, so that no product of a GPU is charged a wait of its own.
const PRODUCTS: usize = 4;

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Milliseconds a product.
fn timed(mut product: impl FnMut() -> Result<()>, wait: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..PRODUCTS {
        product()?;
    }
    wait()?;
    Ok(1e3 * start.elapsed().as_secs_f64() / PRODUCTS as f64)
}

/// A table of all formats. One that does not fit on the device has its reason in place of figures.
fn table<T>(name: &str, a: &Csr<T>, device: &Device)
where
    T: Scalar + nalgebra::Scalar + ClosedAddAssign + ClosedMulAssign,
{
    println!(
        "{name}, {} non-zeros, {} on {}: ms, and nalgebra-sparse's over it",
        a.nnz(),
        T::NAME,
        device.name()
    );
    if let Err(error) = device.supports::<T>() {
        println!("  {error}");
        return;
    }
    let theirs = CsrMatrix::from(a);
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Csc) {
        match pairs(a, &theirs, format, device) {
            Ok(line) => println!("  {:<11} {line}", format.name()),
            Err(error) => println!("  {:<11} {error}", format.name()),
        }
    }
}

/// The figures of one format.
fn pairs<T>(a: &Csr<T>, theirs: &CsrMatrix<T>, format: Format, device: &Device) -> Result<String>
where
    T: Scalar + nalgebra::Scalar + ClosedAddAssign + ClosedMulAssign,
{
    let x = DMatrix::from_fn(a.cols(), 1, |i, _| T::from_f64(0.5 + (i % 7) as f64));
    let ours = Vector::from_slice(device, x.as_slice())?;
    let (zero, one) = (T::zero(), T::one());
    let mut product = DMatrix::from_element(a.rows(), 1, zero);
    let matrix = DeviceMatrix::from_csr(device, a, format)?;
    let mut y = Vector::zeros(device, a.rows())?;
    let (mut times, mut rivals, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round is for caches, and kernels are compiled in it.
    for round in 0..=ROUNDS {
        let multiply = || spmv(one, &matrix, black_box(&ours), zero, &mut y);
        let time = timed(multiply, || device.synchronize().block_on())?;
        let multiply = || {
            spmm_csr_dense(zero, &mut product, one, Op::NoOp(theirs), Op::NoOp(black_box(&x)));
            Ok(())
        };
        let rival = timed(multiply, || Ok(()))?;
        if round > 0 {
            times.push(time);
            rivals.push(rival);
            ratios.push(rival / time);
        }
    }
    let far = y.to_host().block_on()?.into_iter().zip(&product);
    let far = far.map(|(ours, theirs)| (ours.to_f64() - theirs.to_f64()).abs());
    let far = far.fold(0.0, f64::max);
    let (time, rival, ratio) = (median(times), median(rivals), median(ratios));
    Ok(format!(
        "{time:>8.3} {rival:>8.3} {ratio:>6.2}   differing by {far:.1e}"
    ))
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|name| name != "--bench").collect();
    let names = if named.is_empty() {
        ["stencil27:40", "elasticity:28"].map(String::from).to_vec()
    } else {
        named
    };
    let devices = devices();
    for name in &names {
        match generate::by_name(name) {
            Ok(a) => devices.iter().for_each(|device| {
                table(name, &a.map(f32::from_f64), device);
                table(name, &a, device);
            }),
            Err(error) => println!("{name}: {error}"),
        }
    }
}
