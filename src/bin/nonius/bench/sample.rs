//! Samples and operands that benches share.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nonius::dense::{Matrix, Vector, copy, copy_block};
use nonius::device::Elapsed;
use nonius::{Blocking, Device, Error, Result, Scalar};

use super::is_hardware;

/// A sample lasts so long at least: what it costs to begin and to notice the end does not count then.
const SECONDS: f64 = 5e-3;
/// A GPU is kept busy for so long before anything counts, or for as long as nothing was measured: while kernels were compiled and
/// operands made, its clocks have fallen.
const WAKE: Duration = Duration::from_millis(500);
/// When something was measured last.
static MEASURED: Mutex<Option<Instant>> = Mutex::new(None);
/// Calls in one sample.
const CALLS: u32 = 10_000;

/// The time of one call: the median of `runs` samples, each of enough calls.
///
/// Samples by the device's clock and by the host's are not mixed: those by the device's count if they are more than half,
/// and else all by the host's.
pub(super) fn median(device: &Device, runs: usize, call: &mut dyn FnMut() -> Result<()>) -> Result<Elapsed> {
    let mut sample = |calls: u32| device.time(&mut || (0..calls).try_for_each(|_| call())).block_on();
    // The first call compiles; those that follow, of more and more calls, warm up.
    sample(1)?;
    let mut calls = 1;
    loop {
        let seconds = sample(calls)?.seconds();
        if seconds >= SECONDS || calls == CALLS {
            break;
        }
        // A little more than was missing, and not on the word of one short sample.
        let factor = (1.2 * SECONDS / seconds.max(1e-9)).clamp(1.5, 16.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and 160,000"
        )]
        let more = (f64::from(calls) * factor).ceil() as u32;
        calls = more.min(CALLS);
    }
    wake(device, &mut || sample(calls))?;
    let samples = (0..runs).map(|_| sample(calls)).collect::<Result<Vec<Elapsed>>>()?;
    measured();
    Ok(middle(&samples, f64::from(calls)))
}

/// As [`median`], of work that uses up what is made for it; neither making it nor freeing what comes of it is timed. A
/// call is a sample.
pub(super) fn median_of<X, Y>(
    device: &Device,
    runs: usize,
    make: &mut dyn FnMut() -> Result<X>,
    call: &mut dyn FnMut(X) -> Result<Y>,
) -> Result<Elapsed> {
    let mut sample = || {
        let mut made = Some(make()?);
        let mut result = None;
        device.synchronize().block_on()?;
        let work = &mut || {
            result = made.take().map(&mut *call).transpose()?;
            Ok(())
        };
        device.time(work).block_on()
    };
    // The first compiles.
    sample()?;
    // Between short calls a GPU waits for what the host makes, and its clocks stay where they are: it is woken by copies.
    wake(device, &mut copies(device)?)?;
    sample()?;
    let samples = (0..runs).map(|_| sample()).collect::<Result<Vec<Elapsed>>>()?;
    measured();
    Ok(middle(&samples, 1.0))
}

/// Runs what keeps a device busy until its clocks have risen.
fn wake(device: &Device, busy: &mut dyn FnMut() -> Result<Elapsed>) -> Result<()> {
    let began = Instant::now();
    let last = *MEASURED.lock().unwrap_or_else(PoisonError::into_inner);
    let idle = last.map_or(WAKE, |last| began.duration_since(last)).min(WAKE);
    busy()?;
    while is_hardware(device) && began.elapsed() < idle {
        busy()?;
    }
    Ok(())
}

/// Copies one behind the other, which take a GPU some milliseconds.
fn copies(device: &Device) -> Result<impl FnMut() -> Result<Elapsed>> {
    let (n, times) = if is_hardware(device) { (1 << 24, 64) } else { (1, 1) };
    let (x, mut y) = (Vector::<f32>::zeros(device, n)?, Vector::zeros(device, n)?);
    let device = device.clone();
    Ok(move || {
        device
            .time(&mut || (0..times).try_for_each(|_| copy(&x, &mut y)))
            .block_on()
    })
}

fn measured() {
    *MEASURED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

fn middle(samples: &[Elapsed], calls: f64) -> Elapsed {
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2] / calls
    };
    let by_device: Vec<f64> = samples.iter().filter_map(|sample| sample.device).collect();
    Elapsed {
        device: (2 * by_device.len() > samples.len()).then(|| median(by_device)),
        wall: median(samples.iter().map(|sample| sample.wall).collect()),
    }
}

/// Bytes a second that the device copies in this scalar, among vectors that no cache holds; or why that is not known.
pub(super) fn copy_rate<T: Scalar>(device: &Device, runs: usize) -> Result<std::result::Result<f64, String>> {
    let bytes: usize = if is_hardware(device) { 1 << 28 } else { 1 << 25 };
    let n = bytes / size_of::<T>();
    let made = Vector::from_slice(device, &values::<T>(n, 1)).and_then(|x| Ok((x, Vector::zeros(device, n)?)));
    let (x, mut y) = match made {
        Ok(made) => made,
        Err(error @ (Error::TooLarge { .. } | Error::OutOfMemory { .. })) => return Ok(Err(error.to_string())),
        Err(error) => return Err(error),
    };
    let elapsed = median(device, runs, &mut || copy(&x, &mut y))?;
    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    let moved = 2.0 * (n * size_of::<T>()) as f64;
    Ok(Ok(moved / elapsed.seconds()))
}

/// A matrix of numbers without a pattern. The host makes some rows, and the device repeats them: neither uploads nor
/// host memory grow with the matrix.
pub(super) fn matrix<T: Scalar>(device: &Device, rows: usize, cols: usize, seed: u64) -> Result<Matrix<T>> {
    const BLOCK: usize = 1 << 20;
    let mut matrix = Matrix::zeros(device, rows, cols)?;
    let some = (BLOCK / cols).clamp(1, rows);
    let block = Matrix::from_rows(device, some, cols, &values(some * cols, seed))?;
    for first in (0..rows).step_by(some) {
        let count = some.min(rows - first);
        copy_block(
            block.block(0, 0, count, cols)?,
            matrix.block_mut(first, 0, count, cols)?,
        )?;
    }
    Ok(matrix)
}

/// Numbers without a pattern, of both signs and within ±[1/2, 1): never zeros, on which hardware is faster.
pub(super) fn values<T: Scalar>(n: usize, seed: u64) -> Vec<T> {
    let mut state = seed;
    let value = |_| {
        // SplitMix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = z ^ (z >> 31);
        #[expect(clippy::cast_precision_loss, reason = "53 bits")]
        let magnitude = 0.5 + (bits >> 11) as f64 * f64::EPSILON / 4.0;
        T::from_f64(if bits & 1 == 0 { magnitude } else { -magnitude })
    };
    (0..n).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_not_mixed() {
        let sample = |device, wall| Elapsed { device, wall };
        let by_device = |device| sample(Some(device), 100.0);
        let most = [by_device(3.0), by_device(1.0), by_device(2.0), sample(None, 0.5)];
        assert_eq!(middle(&most, 2.0), sample(Some(1.0), 50.0));
        let few = [sample(Some(1.0), 8.0), sample(None, 4.0), sample(None, 6.0)];
        assert_eq!(middle(&few, 2.0), sample(None, 3.0));
    }

    #[test]
    fn a_matrix_has_no_zeros_and_whole_rows() {
        for (rows, cols) in [(3, 5), (1, 1 << 21), (3000, 1000), (5, 1)] {
            let matrix = matrix::<f32>(&Device::host(), rows, cols, 7).expect("it fits");
            let values = matrix.to_host().block_on().expect("the host has it");
            assert!(
                values.iter().all(|value| (0.5..=1.0).contains(&value.abs())),
                "{rows} x {cols}"
            );
        }
    }
}
