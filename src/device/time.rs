//! How long work took: by the host's clock, and by the device's where that can be believed.

use web_time::Instant;

use super::{Device, Ground};
use crate::error::Result;

/// How long work took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elapsed {
    /// By the device's own clock, the time that it spent in the launches; what it waited in between, for the host to
    /// record more, does not count. None where the device has no clock, or says what cannot be.
    pub device: Option<f64>,
    /// By the host's clock, from the first recording until the host knew that the last launch was done.
    pub wall: f64,
}

impl Elapsed {
    /// The device's time, or the host's where the device's is not known.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.device.unwrap_or(self.wall)
    }
}

impl Device {
    /// Times what `work` records: waits until everything recorded before is done, calls `work`, and waits again.
    ///
    /// Drivers are known to return timestamps that are zero, in the wrong unit, or taken before the work is done. So the
    /// device's clock is held against the host's: its stamps must follow each other, what they say must not be longer
    /// than the host waited, nor a fraction of it when the host waited long. Work that is measured has the device to
    /// itself only if no other thread records meanwhile; a measurement within another has the host's clock only.
    ///
    /// # Errors
    /// The error of `work`; else as [`Device::synchronize`].
    ///
    /// # Cost
    /// Besides the work, two round trips and the read-back of the timestamps. The first call of an operation compiles
    /// its kernel: call it once before.
    ///
    /// ```
    /// use nonius::{Blocking, Device, dense::{Vector, axpy}};
    /// let host = Device::host();
    /// let x = Vector::from_slice(&host, &[1.0_f64; 1000])?;
    /// let mut y = Vector::zeros(&host, 1000)?;
    /// let elapsed = host.time(&mut || axpy(2.0, &x, &mut y)).block_on()?;
    /// assert!(elapsed.device.is_none() && elapsed.seconds() == elapsed.wall);
    /// # Ok::<(), nonius::Error>(())
    /// ```
    pub async fn time(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Elapsed> {
        match self.ground() {
            Ground::Host => {
                let start = Instant::now();
                work()?;
                let wall = start.elapsed().as_secs_f64();
                Ok(Elapsed { device: None, wall })
            }
            Ground::Gpu(gpu) => gpu.time(work).await,
        }
    }
}

/// What both clocks say of the same work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clocks<'a> {
    /// Beginning and end of every pass, in the device's ticks and in the order of submission.
    pub(crate) passes: &'a [[u64; 2]],
    /// Seconds of a tick, as the driver says.
    pub(crate) tick: f64,
    /// Seconds on the host, from the first recording to the end.
    pub(crate) wall: f64,
    /// Those of them in which the host did nothing but wait: the device was at work.
    pub(crate) waited: f64,
    /// Seconds that the host waits for a submission of nothing.
    pub(crate) empty: f64,
}

/// The clocks of a host and a device run apart by less, and stamps may be taken a little after the end.
const DRIFT: f64 = 1.001;
/// A wait is long if it is that much longer than for nothing.
const LONG: f64 = 2e-3;
/// A device that worked less than this part of a long wait did not tell the truth; more can be the host's, where other
/// programs kept it from noticing the end.
const LEAST: f64 = 0.25;

impl Clocks<'_> {
    /// The seconds that the device spent in its passes, or why that cannot be what its clock says.
    pub(crate) fn believed(&self) -> std::result::Result<f64, String> {
        let order = self.passes.as_flattened();
        if order.is_empty() {
            return Err("nothing was launched".to_owned());
        }
        if !(self.tick > 0.0 && self.tick.is_finite()) {
            return Err(format!("a tick of {} s", self.tick));
        }
        if let Some(stamps) = order.windows(2).find(|stamps| stamps[1] < stamps[0]) {
            return Err(format!("the stamp {} after {}", stamps[1], stamps[0]));
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "differences of stamps, and 53 bits are enough for a time"
        )]
        let ticks: f64 = self.passes.iter().map(|[begin, end]| (end - begin) as f64).sum();
        let seconds = ticks * self.tick;
        if !(seconds > 0.0) {
            return Err("it says that the work took no time".to_owned());
        }
        if !(seconds <= self.wall * DRIFT + self.tick) {
            return Err(format!("{seconds:e} s of work in {:e} s", self.wall));
        }
        let working = self.waited - self.empty;
        if working > LONG && !(seconds >= LEAST * working) {
            return Err(format!(
                "{seconds:e} s of work, for which the host waited {working:e} s"
            ));
        }
        Ok(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUE: Clocks<'_> = Clocks {
        passes: &[[1_000_000, 5_000_000], [5_100_000, 9_000_000]],
        tick: 1e-9,
        wall: 0.009,
        waited: 0.0083,
        empty: 0.0001,
    };

    fn says(clocks: Clocks<'_>, expected: f64) {
        let found = clocks.believed().expect("it is true");
        assert!((found - expected).abs() <= 1e-12 * expected, "{found} {expected}");
    }

    #[test]
    fn a_true_clock_is_believed() {
        says(TRUE, 0.0079);
        // A pass that is shorter than a tick, among others.
        let passes = &[[1_000_000, 1_000_000], [1_000_000, 9_000_000]];
        says(Clocks { passes, ..TRUE }, 0.008);
        // Short work that the host noticed late: other programs may have kept it.
        let late = Clocks {
            passes: &[[7, 1007]],
            wall: 0.002,
            waited: 0.0019,
            ..TRUE
        };
        says(late, 1e-6);
        // A host that records slowly, to a device that waits for it.
        says(Clocks { wall: 5.0, ..TRUE }, 0.0079);
    }

    #[test]
    fn what_cannot_be_is_not_believed() {
        let of = |passes| Clocks { passes, ..TRUE };
        let with_tick = |tick| Clocks { tick, ..TRUE };
        let cases = [
            ("nothing launched", of(&[])),
            ("zeros", of(&[[0, 0], [0, 0]])),
            ("an end before its beginning", of(&[[1000, 999]])),
            ("a wrap", of(&[[u64::MAX - 1000, 4_000_000]])),
            (
                "a pass before the last was done",
                of(&[[1_000_000, 5_000_000], [4_000_000, 8_000_000]]),
            ),
            ("an end that was never written", of(&[[1_000_000, 0]])),
            ("a beginning that was never written", of(&[[0, 90_000_000_000]])),
            ("longer than the host waited", of(&[[1_000_000, 11_000_000]])),
            ("a fraction of the wait", of(&[[1_000_000, 2_000_000]])),
            ("the whole range", of(&[[0, u64::MAX]])),
            ("no unit", with_tick(0.0)),
            ("a negative unit", with_tick(-1e-9)),
            ("a unit that is none", with_tick(f64::NAN)),
            ("an infinite unit", with_tick(f64::INFINITY)),
            ("microseconds for nanoseconds", with_tick(1e-6)),
            ("picoseconds for nanoseconds", with_tick(1e-12)),
            ("a host without a clock", Clocks { wall: f64::NAN, ..TRUE }),
        ];
        for (what, clocks) in cases {
            assert!(clocks.believed().is_err(), "{what}: {:?}", clocks.believed());
        }
    }

    #[test]
    fn the_host_counts_where_the_device_does_not() {
        let device = Some(0.25);
        assert_eq!(Elapsed { device, wall: 0.5 }.seconds(), 0.25);
        assert_eq!(
            Elapsed {
                device: None,
                wall: 0.5
            }
            .seconds(),
            0.5
        );
    }
}
