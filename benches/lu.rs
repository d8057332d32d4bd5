//! LU factorisation with partial pivoting on every device beside nalgebra's: multiply-adds a second. `cargo bench --bench lu`

mod devices;

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::DMatrix;
use nonius::Blocking;
use nonius::dense::Matrix;
use nonius::lu::Lu;

use devices::devices;

fn factor(criterion: &mut Criterion) {
    let devices = devices();
    let mut group = criterion.benchmark_group("lu f32");
    group.sample_size(10);
    for n in [256_usize, 1024] {
        // A matrix without structure: residues of a quadratic sequence.
        let values: Vec<f32> = (0..n * n)
            .map(|k| ((k * k + 7 * k) % 1009) as f32 / 1009.0 - 0.5)
            .collect();
        group.throughput(Throughput::Elements((n * n * n / 3) as u64));
        let a = DMatrix::from_row_slice(n, n, &values);
        group.bench_function(BenchmarkId::new("nalgebra", n), |bencher| {
            bencher.iter_batched(|| a.clone(), |a| black_box(a).lu(), BatchSize::LargeInput);
        });
        for device in &devices {
            let wait = || device.synchronize().block_on().expect("the device is there");
            let matrix = || {
                let a = Matrix::from_rows(device, n, n, &values).expect("it fits");
                wait();
                a
            };
            group.bench_function(BenchmarkId::new(device.name(), n), |bencher| {
                let factor = |a| {
                    let lu = Lu::factor(a).expect("it is factored");
                    wait();
                    lu
                };
                bencher.iter_batched(matrix, factor, BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, factor);
criterion_main!(benches);
