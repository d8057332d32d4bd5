//! The devices of this machine, each opened once, and reproducible random numbers.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, OnceLock};

use nonius::{Blocking as _, Dd, Device, Error, Result, Scalar, Select};

/// Makes of `fn check<T: Scalar>(&Device) -> Result<()>` a test for every scalar, on every device.
#[allow(unused_macros, reason = "not every test is for every scalar")]
macro_rules! for_every_scalar {
    ($($check:ident),* $(,)?) => {$(
        mod $check {
            #[test]
            fn f32() {
                crate::devices::on_every_device::<f32>(super::$check::<f32>);
            }
            #[test]
            fn df64() {
                crate::devices::on_every_device::<nonius::Df64>(super::$check::<nonius::Df64>);
            }
            #[test]
            fn f64() {
                crate::devices::on_every_device::<f64>(super::$check::<f64>);
            }
            #[test]
            fn dd() {
                crate::devices::on_every_device::<nonius::Dd>(super::$check::<nonius::Dd>);
            }
        }
    )*};
}

/// Where the device computes in `T`.
#[allow(dead_code, reason = "not every test is for every scalar")]
pub(crate) fn on_every_device<T: Scalar>(check: fn(&Device) -> Result<()>) {
    for device in devices() {
        match device.supports::<T>() {
            Ok(()) => check(device).unwrap_or_else(|error| panic!("{} on {}: {error}", T::NAME, device.name())),
            Err(error @ Error::UnsupportedScalar { .. }) => say(&format!("not tested: {error}")),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Every adapter of this machine, or the one that `NONIUS_DEVICE` names, and last the host.
pub(crate) fn devices() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let selected: Vec<Select> = if std::env::var_os("NONIUS_DEVICE").is_some() {
            vec![Select::Auto]
        } else {
            let adapters = Device::list().block_on().into_iter();
            adapters
                .filter_map(|adapter| adapter.index.map(Select::Index))
                .collect()
        };
        let mut devices: Vec<Device> = selected
            .into_iter()
            .map(|select| {
                Device::open(select)
                    .block_on()
                    .unwrap_or_else(|error| panic!("{error}"))
            })
            .filter(|device| !device.is_host())
            .collect();
        if devices.is_empty() {
            let required = std::env::var("NONIUS_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "NONIUS_REQUIRE_GPU=1, and there is no GPU adapter");
            say("no GPU adapter: only the host is tested");
        }
        devices.push(Device::host());
        for device in &devices {
            let adapter = device.adapter();
            say(&format!(
                "tested: {} ({}, {}) {}",
                adapter.name, adapter.kind, adapter.backend, adapter.driver
            ));
        }
        devices
    })
}

/// Says it once a run, and past the capture of a test's output: what was tested must be seen when all is well too.
pub(crate) fn say(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if said.insert(text.to_owned()) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Reproducible random numbers: `SplitMix64` (Steele, Lea and Flood 2014).
#[allow(dead_code, reason = "not every test draws")]
pub(crate) struct Random(u64);

#[allow(dead_code, reason = "not every test draws")]
impl Random {
    pub(crate) fn new(seed: usize) -> Self {
        Self(seed as u64)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [-1, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * f64::EPSILON - 1.0
    }

    /// Below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() % limit as u64).expect("below a usize")
    }

    /// An integer of magnitude `limit` at most.
    pub(crate) fn integer(&mut self, limit: u32) -> i32 {
        let values = u64::from(2 * limit + 1);
        i32::try_from(self.bits() % values).expect("small") - i32::try_from(limit).expect("small")
    }

    /// Within ±[1/16, 16), with bits in all places that T has.
    pub(crate) fn scalar<T: Scalar>(&mut self) -> T {
        let mut unit = || (self.bits() >> 11) as f64 * f64::EPSILON / 2.0;
        let (high, low, sign) = (1.0 + unit(), unit() - 0.5, unit());
        let exponent = i32::try_from(self.bits() % 8).unwrap_or(0) - 4;
        let x = T::from_dd(Dd::new(high, low * f64::EPSILON)).scale_exponent(exponent);
        if sign < 0.5 { -x } else { x }
    }

    pub(crate) fn scalars<T: Scalar>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| self.scalar()).collect()
    }
}
