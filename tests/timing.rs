//! How long work takes: the device's clock against the host's.

#[path = "support/devices.rs"]
mod devices;

use std::sync::{Mutex, MutexGuard, PoisonError};

use nonius::dense::{Vector, axpy};
use nonius::device::{AdapterKind, Elapsed};
use nonius::{Blocking as _, Device, Df64, Error, Result};

/// Enough that a launch takes longer than it takes to hand over.
fn size(device: &Device) -> usize {
    if device.adapter().kind < AdapterKind::Software {
        1 << 24
    } else {
        1 << 20
    }
}

/// The devices, each measured by one test at a time.
fn devices_alone() -> (&'static [Device], MutexGuard<'static, ()>) {
    static ALONE: Mutex<()> = Mutex::new(());
    (devices::devices(), ALONE.lock().unwrap_or_else(PoisonError::into_inner))
}

fn is_sane(elapsed: &Elapsed) -> bool {
    let positive = |seconds: f64| seconds > 0.0 && seconds.is_finite();
    let device = elapsed
        .device
        .is_none_or(|device| positive(device) && device <= 1.01 * elapsed.wall);
    device && elapsed.wall >= 0.0 && elapsed.wall.is_finite()
}

fn twice_the_work_takes_twice_as_long(device: &Device) -> Result<()> {
    let x = Vector::from_slice(device, &vec![0.75_f32; size(device)])?;
    let mut y = Vector::from_slice(device, &vec![0.75; size(device)])?;
    let mut time = |launches: usize| -> Result<Elapsed> {
        let mut work = || (0..launches).try_for_each(|_| axpy(1e-3, &x, &mut y));
        let elapsed = device.time(&mut work).block_on()?;
        assert!(is_sane(&elapsed), "{}: {elapsed:?}", device.name());
        Ok(elapsed)
    };
    time(16)?;
    let nothing = time(0)?;
    assert_eq!(nothing.device, None, "{}: nothing was launched", device.name());
    // Other programs make either slower, for a while: one pair of many that were left alone is enough.
    let mut tried = Vec::new();
    // Of the drivers that compute on the CPU it is known that their clocks are right.
    let adapter = device.adapter();
    let has_clock = adapter.kind == AdapterKind::Software && adapter.features.contains(&("timestamp-query", true));
    for _ in 0..40 {
        let (few, many) = (time(8)?, time(16)?);
        let ratio = many.seconds() / few.seconds();
        tried.push((few, many));
        if has_clock && (few.device.is_none() || many.device.is_none()) {
            continue;
        }
        if nothing.wall < many.wall && (1.6..2.5).contains(&ratio) {
            let clock = many.device.map_or("the host's", |_| "its own");
            devices::say(&format!("timed: {} by {clock} clock", device.name()));
            return Ok(());
        }
    }
    panic!("{}: nothing in {nothing:?}, once and twice in {tried:?}", device.name());
}

#[test]
fn twice_the_work_takes_twice_as_long_on_every_device() {
    let (devices, _alone) = devices_alone();
    for device in devices {
        twice_the_work_takes_twice_as_long(device).unwrap_or_else(|error| panic!("{}: {error}", device.name()));
    }
}

/// More launches than one submission has room for.
#[test]
fn many_submissions_are_one_measurement() {
    let (devices, _alone) = devices_alone();
    for device in devices {
        let x = Vector::from_slice(device, &[1.0_f32; 1000]).expect("it fits");
        let mut y = Vector::zeros(device, 1000).expect("it fits");
        let mut work = || (0..3000).try_for_each(|_| axpy(1.0, &x, &mut y));
        let elapsed = device.time(&mut work).block_on().expect("it computes");
        assert!(is_sane(&elapsed), "{}: {elapsed:?}", device.name());
        assert_eq!(y.to_host().block_on().expect("it comes back"), [3000.0; 1000]);
    }
}

#[test]
fn what_fails_is_told_and_measured_no_more() {
    let (devices, _alone) = devices_alone();
    for device in devices {
        let x = Vector::from_slice(device, &[1.0_f32; 3]).expect("it fits");
        let mut y = Vector::zeros(device, 3).expect("it fits");
        let mut z = Vector::zeros(device, 4).expect("it fits");
        let before = device
            .time(&mut || axpy(1.0, &x, &mut y))
            .block_on()
            .expect("it computes");
        let failed = device
            .time(&mut || {
                axpy(1.0, &x, &mut y)?;
                axpy(1.0, &x, &mut z)
            })
            .block_on();
        assert!(
            matches!(failed, Err(Error::Shape { .. })),
            "{}: {failed:?}",
            device.name()
        );
        let after = device
            .time(&mut || axpy(1.0, &x, &mut y))
            .block_on()
            .expect("it computes");
        assert_eq!(
            before.device.is_some(),
            after.device.is_some(),
            "{}: {before:?}, {after:?}",
            device.name()
        );
        assert_eq!(y.to_host().block_on().expect("it comes back"), [3.0; 3]);
    }
}

/// The outer one has the device's clock.
#[test]
fn a_measurement_within_another_has_the_host_s_clock() {
    let (devices, _alone) = devices_alone();
    for device in devices {
        let x = Vector::from_slice(device, &[1.0_f32; 3]).expect("it fits");
        let mut y = Vector::zeros(device, 3).expect("it fits");
        let mut inner = None;
        let mut work = || {
            inner = Some(device.time(&mut || axpy(1.0, &x, &mut y)).block_on()?);
            Ok(())
        };
        let outer = device.time(&mut work).block_on().expect("it computes");
        let inner = inner.expect("it was measured");
        assert_eq!(inner.device, None, "{}", device.name());
        assert!(
            is_sane(&outer) && inner.wall <= outer.wall,
            "{}: {outer:?}, {inner:?}",
            device.name()
        );
    }
}

#[test]
fn multiply_adds_are_counted_on_every_device() {
    let (devices, _alone) = devices_alone();
    for device in devices {
        let single = device
            .multiply_add_rate::<f32>()
            .block_on()
            .expect("every device has f32");
        let pairs = device
            .multiply_add_rate::<Df64>()
            .block_on()
            .expect("every device here has pairs");
        devices::say(&format!(
            "{}: {single:.2e} multiply-adds of f32, {pairs:.2e} of df64",
            device.name()
        ));
        // A thousand of today's fastest GPUs; and a multiply-add of pairs is a good twenty operations on words, of which
        // other programs may take some.
        let plausible = 1e6..1e17;
        assert!(
            plausible.contains(&single) && plausible.contains(&pairs),
            "{single:e} {pairs:e}"
        );
        assert!(single > 2.0 * pairs, "{}: {single:e} {pairs:e}", device.name());
    }
}
