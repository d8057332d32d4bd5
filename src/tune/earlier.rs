//! What was chosen earlier stays where it is faster: a search that looked less closely than the last, or that something
//! disturbed, takes nothing away.

use super::Job;
use super::trials::Measurable;
use crate::error::Result;
use crate::tuning::{Choice, Entry, Shape, Source, Variant};

impl Job<'_> {
    /// Takes what a search has found into the device's tuning, but for the regimes in which what was chosen before is faster, from
    /// samples that take turns; those that were not measured keep what they had.
    pub(super) fn take_in(&mut self, measurable: &[Measurable], entry: Entry) -> Result<Entry> {
        let tuning = self.device.tuning();
        let known = tuning.known(self.tunable, self.precision);
        let choose = |shape: &Shape| tuning.choose(self.tunable, self.precision, *shape);
        let shapes: Vec<Vec<Shape>> = measurable.iter().map(Measurable::shapes).collect();
        let before: Vec<Vec<Variant>> = shapes.iter().map(|of| of.iter().map(choose).collect()).collect();
        // With what it does not speak of: what is measured now may end in an error.
        tuning.merge(vec![settled(entry.clone(), &[], &known)], &[self.tunable])?;
        let mut slower = Vec::new();
        for ((measurable, shapes), before) in measurable.iter().zip(&shapes).zip(before) {
            let mut gain = 0.0;
            for (shape, before) in shapes.iter().zip(before) {
                let now = tuning.choose(self.tunable, self.precision, *shape);
                if now != before {
                    let [before, now] = self.times(&[before, now], *shape, 5..=9)?;
                    gain += (before / now).ln();
                }
            }
            if gain < 0.0 {
                slower.push(measurable.regime.name);
            }
        }
        let entry = settled(entry, &slower, &known);
        tuning.merge(vec![entry.clone()], &[self.tunable])?;
        Ok(entry)
    }
}

/// An entry with what was known of the regimes in which it is slower, and of the user's that it does not speak of. Of a regime of
/// which nothing was known the default is what was faster.
fn settled(mut entry: Entry, slower: &[&str], known: &[(Source, Choice)]) -> Entry {
    for choice in &mut entry.regimes {
        if slower.contains(&choice.regime.as_str()) {
            let before = known.iter().find(|(_, known)| known.regime == choice.regime);
            choice.candidates = before.map_or(Vec::new(), |(_, known)| known.candidates.clone());
        }
    }
    for (source, choice) in known {
        let spoken_of = entry.regimes.iter().any(|known| known.regime == choice.regime);
        if *source == Source::User && !spoken_of {
            entry.regimes.push(choice.clone());
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense;
    use crate::device::AdapterKind;
    use crate::device::precision::{Precision, Width};
    use crate::tuning::{Candidate, Model};

    #[test]
    fn what_is_faster_stays() {
        let [gemv, ..] = dense::tunables();
        let family = &gemv.families[0];
        let choice = |regime: &str, lanes: u32| Choice {
            regime: regime.to_owned(),
            candidates: vec![Candidate::new(
                &family.variant(&[256, lanes, 1, 2, 1]),
                Model::default(),
                0.0,
            )],
        };
        let precision = Precision::of::<f32>(Width::Pack);
        let found = ["few rows", "some rows", "few columns"].map(|regime| choice(regime, 32));
        let entry = Entry::new(gemv, AdapterKind::Discrete, precision, found.to_vec());
        let known = [
            (Source::User, choice("few rows", 64)),
            (Source::User, choice("square from 8192", 64)),
            (Source::Shipped, choice("some columns", 64)),
        ];
        let lanes = |entry: &Entry| -> Vec<(String, Option<u32>)> {
            let regimes = entry.regimes.iter();
            let lanes = |choice: &Choice| choice.candidates.first().map(|candidate| candidate.constants["LANES"]);
            regimes.map(|choice| (choice.regime.clone(), lanes(choice))).collect()
        };
        let expected = |of: &[(&str, Option<u32>)]| -> Vec<(String, Option<u32>)> {
            of.iter()
                .map(|(regime, lanes)| ((*regime).to_owned(), *lanes))
                .collect()
        };
        assert_eq!(
            lanes(&settled(entry.clone(), &["few rows", "few columns"], &known)),
            expected(&[
                ("few rows", Some(64)),
                ("some rows", Some(32)),
                ("few columns", None),
                ("square from 8192", Some(64))
            ])
        );
        assert_eq!(lanes(&settled(entry.clone(), &[], &[])), lanes(&entry));
    }
}
