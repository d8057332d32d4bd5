//! LU factorisation with partial pivoting on every device: multiply-adds a second. `cargo bench --bench lu`

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nonius::dense::Matrix;
use nonius::lu::Lu;
use nonius::{Blocking, Device, Select};

fn factor(criterion: &mut Criterion) {
    for adapter in Device::list().block_on() {
        let select = adapter.index.map_or(Select::Host, Select::Index);
        let Ok(device) = Device::open(select).block_on() else {
            continue;
        };
        let mut group = criterion.benchmark_group(format!("lu f32 {}", device.name()));
        group.sample_size(10);
        for n in [128_usize, 256] {
            // A matrix without structure: residues of a quadratic sequence.
            let values: Vec<f32> = (0..n * n)
                .map(|k| ((k * k + 7 * k) % 1009) as f32 / 1009.0 - 0.5)
                .collect();
            group.throughput(Throughput::Elements((n * n * n / 3) as u64));
            group.bench_function(BenchmarkId::from_parameter(n), |bencher| {
                bencher.iter(|| {
                    let a = Matrix::from_rows(&device, n, n, &values).expect("it fits");
                    Lu::factor(a).expect("it is factored")
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, factor);
criterion_main!(benches);
