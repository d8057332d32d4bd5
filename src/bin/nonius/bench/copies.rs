//! What a copy is to operations that memory bounds: the bytes a second that theirs are held against.

use nonius::device::Elapsed;
use nonius::{Device, Result, Scalar};
use serde_json::{Map, Value, json};

use super::{clock, sample};
use crate::print;

/// The copies of a bench, scalar by scalar.
#[derive(Default)]
pub(super) struct Copies {
    /// Scalars whose copies were not measured, and why.
    missed: Vec<(&'static str, String)>,
}

/// Bytes that one call moves, and how long that takes.
pub(super) struct Moved {
    pub(super) bytes: f64,
    pub(super) elapsed: Elapsed,
    /// Bytes a second of a copy.
    pub(super) limit: Option<f64>,
}

impl Copies {
    /// Bytes a second of a copy in this scalar, which the table calls `name`; none where that is not known.
    pub(super) fn rate<T: Scalar>(&mut self, device: &Device, runs: usize, name: &'static str) -> Result<Option<f64>> {
        Ok(match sample::copy_rate::<T>(device, runs)? {
            Ok(limit) => Some(limit),
            Err(reason) => {
                self.missed.push((name, reason));
                None
            }
        })
    }

    pub(super) fn object(&self) -> Value {
        let missed = self.missed.iter();
        let missed = missed.map(|(scalar, reason)| ((*scalar).to_owned(), json!(reason)));
        Value::Object(missed.collect())
    }

    pub(super) fn show(&self) {
        for (scalar, reason) in &self.missed {
            println!("{scalar:<5} copies were not measured: {reason}");
        }
    }
}

impl Moved {
    /// Bytes a second.
    pub(super) fn rate(&self) -> f64 {
        self.bytes / self.elapsed.seconds()
    }

    fn share(&self) -> Option<f64> {
        self.limit.map(|limit| self.rate() / limit)
    }

    /// The share of a copy, for a table.
    pub(super) fn percent(&self) -> String {
        let percent = |share: f64| format!("{:.0}%", 100.0 * share);
        self.share().map_or("-".to_owned(), percent)
    }

    pub(super) fn fields(&self) -> Map<String, Value> {
        let fields = [
            ("seconds", json!(self.elapsed.seconds())),
            ("clock", json!(clock(&self.elapsed))),
            ("gigabytes_per_second", print::number(self.rate() / 1e9)),
            ("share_of_copy", json!(self.share().map(print::number))),
            (
                "copy_gigabytes_per_second",
                json!(self.limit.map(|limit| print::number(limit / 1e9))),
            ),
        ];
        fields.map(|(key, value)| (key.to_owned(), value)).into_iter().collect()
    }
}
