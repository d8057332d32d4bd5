//! How many calls make a sample, and what a sample costs beside its calls.
//!
//! T(k) = o + kt: a sample of k calls begins and ends once, which on the device's clock is the beginning and the end of
//! a pass and a first call with nothing in the caches, on the host's a submission and its way back. Where k is counted by
//! the time of a single call, o + t, samples of short calls are much shorter than they should be, and o is much of them:
//! such models of GEMV on an H200 said 5.5 us at N = 1,024, where longer samples of `nonius bench` gave 3.5.

use crate::error::Result;

/// Calls of a sample at most.
const MOST_CALLS: u32 = 2000;
/// A step in the number of calls at most: the first samples are mostly o, and say little of t.
const MOST_STEP: f64 = 16.0;
/// Single calls of which the fastest counts: what disturbs a time only ever lengthens it.
const SINGLES: usize = 3;
/// Of a sample, o is not believed to be more than this.
const MOST_START: f64 = 0.5;

/// What samples of one shape are like.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Pace {
    /// k.
    pub(super) calls: u32,
    /// o, in seconds.
    start: f64,
    /// t, in seconds.
    pub(super) seconds: f64,
}

impl Pace {
    /// The pace at which a sample lasts `least` seconds; `time` says what so many calls take, and is warm.
    ///
    /// A call that lasts as long by itself is a sample, and its o is left in it: it is nothing beside t.
    pub(super) fn find(least: f64, time: &mut dyn FnMut(u32) -> Result<f64>) -> Result<Self> {
        let mut single = time(1)?;
        if single >= least {
            return Ok(Self {
                calls: 1,
                start: 0.0,
                seconds: single,
            });
        }
        for _ in 1..SINGLES {
            single = single.min(time(1)?);
        }
        let (mut calls, mut total) = (1, single);
        while total < least && calls < MOST_CALLS {
            let step = (least / total.max(1e-9)).clamp(2.0, MOST_STEP);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "at most sixteen times 2,000"
            )]
            let more = (f64::from(calls) * step).ceil() as u32;
            calls = more.min(MOST_CALLS);
            total = time(calls)?;
        }
        let slope = (total - single) / f64::from((calls - 1).max(1));
        Ok(Self {
            calls,
            start: (single - slope).clamp(0.0, MOST_START * total),
            seconds: slope.max(total * (1.0 - MOST_START) / f64::from(calls)),
        })
    }

    /// The time of one call in a sample that took `total`. Of all variants the same is taken off, so that none gains on
    /// another; half of a sample is left in any case.
    pub(super) fn call(&self, total: f64) -> f64 {
        (total - self.start).max(total * (1.0 - MOST_START)) / f64::from(self.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that takes o + kt, and every seventh time half as long again.
    fn device(start: f64, call: f64) -> impl FnMut(u32) -> Result<f64> {
        let mut times = 0;
        move |calls| {
            times += 1;
            let disturbed = if times % 7 == 3 { 1.5 } else { 1.0 };
            Ok(disturbed * f64::from(calls).mul_add(call, start))
        }
    }

    #[test]
    fn a_call_is_its_time_without_the_start() {
        for (start, call) in [
            (30e-6, 3.5e-6),
            (30e-6, 0.8e-6),
            (2e-6, 40e-6),
            (0.0, 5e-6),
            (5e-3, 20e-6),
        ] {
            let pace = Pace::find(0.5e-3, &mut device(start, call)).expect("it is timed");
            // A sample lasts as long as it should, or has all the calls that it may.
            let total = f64::from(pace.calls).mul_add(call, start);
            assert!(total >= 0.5e-3 * 0.6 || pace.calls == MOST_CALLS, "{pace:?}");
            for other in [call, 1.7 * call] {
                let found = pace.call(f64::from(pace.calls).mul_add(other, start));
                // A start that outweighs the calls cannot be told from a clock that lies.
                if start < MOST_START * total {
                    assert!(
                        (found / other - 1.0).abs() < 0.02,
                        "{start:e} + k {other:e}: {found:e}, {pace:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn one_long_call_is_a_sample() {
        let mut calls = 0;
        let pace = Pace::find(0.5e-3, &mut |count| {
            calls += count;
            Ok(0.07)
        });
        let expected = Pace {
            calls: 1,
            start: 0.0,
            seconds: 0.07,
        };
        assert_eq!((pace, calls), (Ok(expected), 1));
        assert_eq!(expected.call(0.09), 0.09);
    }

    #[test]
    fn a_clock_that_stands_still_ends_the_search() {
        let pace = Pace::find(0.5e-3, &mut |_| Ok(0.0)).expect("it ends");
        assert!(pace.calls == MOST_CALLS && pace.call(0.0) == 0.0, "{pace:?}");
    }
}
