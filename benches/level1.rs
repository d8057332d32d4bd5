//! The level-1 operations on every device: bytes a second. `cargo bench --bench level1`

mod devices;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nonius::dense::{Vector, axpy, copy, dot_into, nrm2_into};
use nonius::{Blocking, Device, Df64, Scalar};

use devices::devices;

const N: usize = 1 << 20;

fn level1<T: Scalar>(criterion: &mut Criterion, device: &Device) {
    if let Err(reason) = device.supports::<T>() {
        println!("{reason}");
        return;
    }
    let values = vec![T::from_f64(0.75); N];
    let made = || -> nonius::Result<_> {
        let x = Vector::from_slice(device, &values)?;
        let y = Vector::from_slice(device, &values)?;
        Ok((x, y, Vector::zeros(device, 1)?))
    };
    let (x, mut y, mut result) = made().expect("a device holds three vectors of a million");
    let mut group = criterion.benchmark_group(format!("{} {}", device.name(), T::NAME));
    group.sample_size(10);
    let mut time = |name: &str, vectors: usize, run: &mut dyn FnMut() -> nonius::Result<()>| {
        group.throughput(Throughput::Bytes((vectors * N * size_of::<T>()) as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                run()
                    .and_then(|()| device.synchronize().block_on())
                    .expect("recorded and done");
            });
        });
    };
    time("copy", 2, &mut || copy(&x, &mut y));
    time("axpy", 3, &mut || axpy(black_box(T::from_f64(1e-3)), &x, &mut y));
    time("dot", 2, &mut || dot_into(&x, &x, &mut result));
    time("nrm2", 1, &mut || nrm2_into(&x, &mut result));
    group.finish();
}

fn all(criterion: &mut Criterion) {
    for device in devices() {
        level1::<f32>(criterion, &device);
        level1::<Df64>(criterion, &device);
        level1::<f64>(criterion, &device);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
