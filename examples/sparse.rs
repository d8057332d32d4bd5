//! Conjugate gradients on a sparse matrix that lives on the device, in the format that takes the fewest bytes.
//!
//! `cargo run --release --example sparse stencil27:32` or with a Matrix Market file of a positive definite matrix

use nonius::dense::{Vector, axpy, copy, nrm2, xpay};
use nonius::sparse::{Csr, DeviceMatrix, Format, generate, matrix_market, residual, spmv_dot};
use nonius::{Blocking, Device, Df64, Result, Scalar, Select};

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "stencil27:32".to_owned());
    let a: Csr<f64> = if name.contains(':') {
        generate::by_name(&name)?
    } else {
        Csr::from_coo(&matrix_market::read(&name)?.into_coo()?)?
    };
    // Pairs of f32: double accuracy on every GPU.
    let a = a.map(Df64::from_f64);
    let device = Device::open(Select::Auto).block_on()?;
    let on_device = DeviceMatrix::from_csr(&device, &a, Format::Auto)?;
    println!(
        "{name} on {}: {} x {}, {} bytes as {}, {} as csr",
        device.name(),
        a.rows(),
        a.cols(),
        on_device.bytes(),
        on_device.format(),
        a.bytes()
    );

    let n = a.rows();
    let b = Vector::from_slice(&device, &vec![Df64::from(1); n])?;
    let mut x = Vector::zeros(&device, n)?;
    let (mut r, mut p) = (Vector::zeros(&device, n)?, Vector::zeros(&device, n)?);
    let (mut product, mut curvature) = (Vector::zeros(&device, n)?, Vector::zeros(&device, 1)?);
    copy(&b, &mut r)?;
    copy(&b, &mut p)?;
    let start = nrm2(&b).block_on()?;
    let mut length = start;
    let mut steps = 0;
    while length > start * Df64::from_f64(1e-12) && steps < 10 * n {
        let zero = Df64::from(0);
        // A p and p'A p in one pass over the matrix.
        spmv_dot(Df64::from(1), &on_device, &p, zero, &mut product, &p, &mut curvature)?;
        let step = length * length / curvature.to_host().block_on()?[0];
        axpy(step, &p, &mut x)?;
        axpy(-step, &product, &mut r)?;
        let shorter = nrm2(&r).block_on()?;
        let ratio = shorter / length;
        xpay(ratio * ratio, &r, &mut p)?;
        length = shorter;
        steps += 1;
    }
    residual(&on_device, &x, &b, &mut r)?;
    let left = (nrm2(&r).block_on()? / start).to_f64();
    println!("{steps} steps, ‖b − Ax‖ / ‖b‖ = {left:.1e}");
    Ok(())
}
