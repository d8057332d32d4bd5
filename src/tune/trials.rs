//! Times of variants on the device itself: operands that stay while the shape does, and as many calls in a sample as
//! the clock needs.

use pollster::FutureExt as _;

use super::LeftOut;
use super::pace::Pace;
use crate::device::precision::Precision;
use crate::device::{AdapterKind, Device};
use crate::error::{Error, Result};
use crate::tuning::{Line, Regime, Shape, Trial, Tunable, Variant};

/// A sample lasts so long at least, by the device's clock: ticks and the gaps between launches do not count then.
const BY_THE_DEVICE: f64 = 0.5e-3;
/// And by the host's, which also counts a submission and its end; and by either for a curve, whose samples are held against
/// those of other shapes: what is taken off for their beginning is known to some 5 % of a short one.
const LONG: f64 = 5e-3;
/// How often a sample is taken again when the device's clock, believed before, is not believed.
const AGAIN: usize = 2;

/// A driver that computes on the CPU would be kept busy for hours by the sizes of a GPU. These are the largest that it
/// is given: matrices of 2,048 x 2,048 in f32, products of 512 x 512 x 512.
const SOFTWARE_BYTES: u64 = 16 << 20;
const SOFTWARE_OPERATIONS: u64 = 1 << 27;
/// A call that takes longer, on whatever device, would take minutes in all its variants.
const LONGEST_CALL: f64 = 0.1;
/// A model from one size says nothing about others.
const FEWEST_SIZES: usize = 2;

/// Trials of one operation in one precision.
pub(super) struct Trials<'a> {
    device: &'a Device,
    tunable: &'static Tunable,
    precision: Precision,
    current: Option<Current>,
    /// Whether the device's own clock was ever believed.
    has_clock: bool,
    /// Whether samples are long by whatever clock.
    for_curves: bool,
}

/// The operands that lie on the device.
struct Current {
    shape: Shape,
    trial: Trial,
    /// Of the default.
    pace: Pace,
}

/// A line, and those of its sizes that can be measured.
type Sizes = (fn(usize) -> Shape, Vec<usize>);

/// A regime and those of its lines and sizes that can be measured.
pub(super) struct Measurable {
    pub(super) regime: &'static Regime<'static>,
    lines: Vec<Sizes>,
}

impl Measurable {
    pub(super) fn lines(&self) -> Vec<Line<'_>> {
        self.lines
            .iter()
            .map(|(shape, sizes)| Line { shape: *shape, sizes })
            .collect()
    }

    /// Those of all lines, and as many between those of the first whose rows begin no line of a cache: without them a choice that
    /// was made at multiples would stay.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let lines = self.lines();
        let measured = lines.iter().map(|line| (line.shape, line.sizes.to_vec()));
        let beside = lines
            .iter()
            .take(1)
            .map(|line| (line.shape, line.askew(line.sizes.len())));
        let shapes = |(shape, sizes): Sizes| sizes.into_iter().map(shape).collect::<Vec<_>>();
        let all = measured.chain(beside).flat_map(shapes);
        all.filter(|shape| self.regime.contains.contain(*shape)).collect()
    }

    /// The shape in the middle of the first line.
    pub(super) fn middle(&self) -> Shape {
        let (shape, sizes) = &self.lines[0];
        shape(sizes[sizes.len() / 2])
    }
}

impl<'a> Trials<'a> {
    pub(super) fn new(device: &'a Device, tunable: &'static Tunable, precision: Precision) -> Self {
        Self {
            device,
            tunable,
            precision,
            current: None,
            has_clock: false,
            for_curves: false,
        }
    }

    /// Seconds that one call of a variant takes at a shape: one sample.
    ///
    /// # Errors
    /// Those of the call, and of making its operands.
    pub(super) fn measure(&mut self, variant: &Variant, shape: Shape) -> Result<f64> {
        let pace = self.prepare(shape)?.pace;
        Ok(pace.call(self.sample(variant, pace.calls)?))
    }

    /// Why a shape is not measured on this device; none where it is.
    ///
    /// # Errors
    /// What is no matter of size.
    pub(super) fn forbidden(&mut self, shape: Shape) -> Result<Option<String>> {
        if let Some(reason) = too_much_for_software(self.device.adapter().kind, self.tunable, self.precision, shape) {
            return Ok(Some(reason));
        }
        match self.prepare(shape) {
            Ok(Current { pace, .. }) if pace.seconds > LONGEST_CALL => Ok(Some(format!(
                "a call takes {:.2} s, longer than {LONGEST_CALL} s",
                pace.seconds
            ))),
            Ok(_) => Ok(None),
            Err(error @ (Error::TooLarge { .. } | Error::OutOfMemory { .. })) => Ok(Some(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// The regimes with those of their sizes that are not forbidden; what is left out is noted.
    ///
    /// # Errors
    /// As [`Trials::forbidden`].
    pub(super) fn measurable(&mut self, left_out: &mut Vec<LeftOut>) -> Result<Vec<Measurable>> {
        let mut regimes = Vec::new();
        for regime in self.tunable.regimes {
            let (operation, scalar) = (self.tunable.name, self.precision.scalar);
            let mut note = |what: String, reason: String| {
                left_out.push(LeftOut {
                    operation,
                    scalar,
                    what,
                    reason,
                });
            };
            let mut lines = Vec::new();
            for line in regime.lines {
                let (mut sizes, mut forbidden) = (Vec::new(), Vec::new());
                for &n in line.sizes {
                    let shape = (line.shape)(n);
                    match self.forbidden(shape)? {
                        None => sizes.push(n),
                        Some(reason) => forbidden.push((extents(shape), reason)),
                    }
                }
                if sizes.len() >= FEWEST_SIZES {
                    lines.push((line.shape, sizes));
                    for (size, reason) in forbidden {
                        note(format!("{}: {size}", regime.name), reason);
                    }
                } else {
                    // Of all the sizes of a regime that is left out, one stands for the others.
                    let others = forbidden.len().saturating_sub(1);
                    let first = forbidden.first().map(|(size, reason)| match others {
                        0 => format!(" ({size}: {reason})"),
                        _ => format!(" ({size}: {reason}; and {others} more)"),
                    });
                    let reason = format!("fewer than {FEWEST_SIZES} sizes can be measured: the default stays");
                    note(regime.name.to_owned(), reason + &first.unwrap_or_default());
                }
            }
            if !lines.is_empty() {
                regimes.push(Measurable { regime, lines });
            }
        }
        Ok(regimes)
    }

    /// From now on samples are of curves.
    ///
    /// # Errors
    /// As [`Trials::free`].
    pub(super) fn of_curves(&mut self) -> Result<()> {
        self.for_curves = true;
        self.free()
    }

    /// Frees the operands.
    ///
    /// # Errors
    /// As [`Device::synchronize`].
    pub(super) fn free(&mut self) -> Result<()> {
        self.current = None;
        // The driver has the memory back when it is known that no work uses it.
        self.device.synchronize().block_on()
    }

    /// Operands of a shape: those that are there, or new ones in their place.
    fn prepare(&mut self, shape: Shape) -> Result<&Current> {
        let shape = whole(shape, self.precision);
        if self.current.as_ref().is_none_or(|current| current.shape != shape) {
            self.free()?;
            let trial = (self.tunable.trial)(self.device, self.precision, shape)?;
            self.device.synchronize().block_on()?;
            self.current = Some(Current {
                shape,
                trial,
                pace: Pace::default(),
            });
            let pace = self.pace(shape)?;
            if let Some(current) = &mut self.current {
                current.pace = pace;
            }
        }
        let current = self.current.as_ref();
        Ok(current.unwrap_or_else(|| unreachable!("made above")))
    }

    /// The pace of samples, by the default: it is good everywhere, and the first candidate may be a hundred times as
    /// slow as the others.
    fn pace(&mut self, shape: Shape) -> Result<Pace> {
        let default = (self.tunable.default)(self.device.adapter(), self.precision, shape);
        // Which clock counts is known after the first sample.
        self.sample(&default, 1)?;
        let least = if self.has_clock && !self.for_curves {
            BY_THE_DEVICE
        } else {
            LONG
        };
        Pace::find(least, &mut |calls| self.sample(&default, calls))
    }

    /// Of two clocks one counts: what the host measures where the device's clock was believed before is longer by the
    /// way there and back, and would make a variant look slow. Seconds of all calls together.
    fn sample(&mut self, variant: &Variant, calls: u32) -> Result<f64> {
        let mut seconds = f64::NAN;
        for _ in 0..=AGAIN {
            let Some(Current { trial, .. }) = &mut self.current else {
                unreachable!("operands are made first");
            };
            let mut work = || (0..calls).try_for_each(|_| trial(variant));
            let elapsed = self.device.time(&mut work).block_on()?;
            seconds = elapsed.seconds();
            self.has_clock |= elapsed.device.is_some();
            if elapsed.device.is_some() || !self.has_clock {
                break;
            }
        }
        Ok(seconds)
    }
}

/// Extents in whole packs, since packs are what is tuned: calls with other extents read element by element. A size that
/// is not a multiple stands for the next that is.
fn whole(shape: Shape, precision: Precision) -> Shape {
    let pack = precision.pack() as usize;
    let whole = |extent: usize| match extent {
        0 | 1 => extent,
        extent => extent.next_multiple_of(pack),
    };
    Shape::new(whole(shape.rows), whole(shape.cols), whole(shape.depth))
}

fn too_much_for_software(kind: AdapterKind, tunable: &Tunable, precision: Precision, shape: Shape) -> Option<String> {
    let (bytes, operations) = (tunable.work)(precision, shape);
    if kind < AdapterKind::Software {
        None
    } else if bytes > SOFTWARE_BYTES {
        let limit = SOFTWARE_BYTES;
        Some(format!(
            "{bytes} bytes, more than the {limit} that a software adapter is tuned with"
        ))
    } else if operations > SOFTWARE_OPERATIONS {
        let limit = SOFTWARE_OPERATIONS;
        Some(format!(
            "{operations} multiply-adds, more than the {limit} that a software adapter is tuned with"
        ))
    } else {
        None
    }
}

/// `4096 x 4096`, and `4096 x 4096 x 128` for a product of matrices.
fn extents(shape: Shape) -> String {
    match shape {
        Shape { rows, cols: 1, depth } => format!("{rows} x {depth}"),
        Shape { rows, cols, depth } => format!("{rows} x {cols} x {depth}"),
    }
}
