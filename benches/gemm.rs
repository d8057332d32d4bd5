//! The host's matrix product beside nalgebra's, and the default device's.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::DMatrix;
use nonius::dense::{Matrix, gemm};
use nonius::{Blocking, Device, Scalar, Select};

fn products(criterion: &mut Criterion) {
    in_scalar::<f32>(criterion);
    in_scalar::<f64>(criterion);
}

fn in_scalar<T>(criterion: &mut Criterion)
where
    T: Scalar + nalgebra::Scalar + nalgebra::ClosedAddAssign + nalgebra::ClosedMulAssign,
{
    let mut devices = vec![Device::host()];
    let found = Device::open(Select::Auto).block_on().expect("there is always the host");
    if !found.is_host() && found.supports::<T>().is_ok() {
        devices.push(found);
    }
    let mut group = criterion.benchmark_group(format!("gemm {}", T::NAME));
    group.sample_size(10);
    for n in [128, 256, 512, 1024_usize] {
        group.throughput(Throughput::Elements((n * n * n) as u64));
        let values: Vec<T> = (0..n * n)
            .map(|i| T::from_f64(0.5 + (i % 1021) as f64 / 2048.0))
            .collect();
        let (a, b) = (
            DMatrix::from_row_slice(n, n, &values),
            DMatrix::from_row_slice(n, n, &values),
        );
        let mut c = DMatrix::from_element(n, n, T::zero());
        group.bench_function(BenchmarkId::new("nalgebra", n), |bencher| {
            bencher.iter(|| a.mul_to(black_box(&b), &mut c));
        });
        for device in &devices {
            let a = Matrix::from_rows(device, n, n, &values).expect("it fits");
            let mut c = Matrix::zeros(device, n, n).expect("it fits");
            group.bench_function(BenchmarkId::new(device.name(), n), |bencher| {
                bencher.iter(|| {
                    gemm(T::one(), black_box(&a), &a, T::zero(), &mut c).expect("the shapes are right");
                    device.synchronize().block_on().expect("the device is there");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, products);
criterion_main!(benches);
