//! What a device chooses from: overrides, the user's file, what is shipped, the default, in this order.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::database::{Database, SHIPPED, at, user_file};
use super::entry::{Entry, Resolved};
use super::{Shape, Tunable, Variant};
use crate::device::Adapter;
use crate::device::precision::Precision;
use crate::error::Result;

/// The tuning of one device. Whoever holds the device may change it at any time; calls that come later choose anew.
///
/// The choice follows from the table alone, never from times at run time, so results are the same in every run with the
/// same table.
pub struct Tuning {
    adapter: Adapter,
    state: RwLock<State>,
}

/// Where an entry comes from; the first of them that speaks of a regime counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Set at run time.
    Override,
    /// The user's file, or another that was loaded or merged.
    User,
    /// Comes with the library.
    Shipped,
}

struct State {
    entries: Vec<(Source, Entry)>,
    /// By operation, whatever the entries say.
    pinned: HashMap<String, Variant>,
    /// What calls look at, made when an operation is first asked for.
    resolved: HashMap<(&'static str, Precision), Resolved>,
}

impl Tuning {
    /// The tuning of an adapter: the user's file for it, if it was tuned with the same driver, and what is shipped for
    /// it. A file that is damaged is reported in the log, and passed over.
    #[must_use]
    pub fn of(adapter: &Adapter) -> Self {
        let tuning = Self::untuned(adapter);
        // No file is no news; a folder that cannot be looked into, or is a file, is.
        if let Some(path) = user_file(adapter).filter(|path| path.try_exists().unwrap_or(true)) {
            tuning.load_user_file(&path);
        }
        for (name, text) in SHIPPED {
            match Database::parse(text) {
                Ok(database) if database.is_of(adapter) => tuning.write().put_all(Source::Shipped, database.entries),
                Ok(_) => {}
                Err(error) => log::warn!("the tuning shipped as {name} is ignored: {error}"),
            }
        }
        tuning
    }

    /// An adapter's tuning without any entries.
    #[must_use]
    pub fn untuned(adapter: &Adapter) -> Self {
        Self {
            adapter: adapter.clone(),
            state: RwLock::new(State {
                entries: Vec::new(),
                pinned: HashMap::new(),
                resolved: HashMap::new(),
            }),
        }
    }

    /// The variant for a shape: of the candidates of its regime that whose modelled time is least, the first among
    /// equals; the default where nothing was tuned. A variant that is [pinned](Tuning::pin) comes before all.
    ///
    /// # Cost
    /// A read lock, a look-up, and a model for each candidate. The first call for an operation reads its entries.
    #[must_use]
    pub fn choose(&self, tunable: &'static Tunable, precision: Precision, shape: Shape) -> Variant {
        let pinned = self.locked().pinned.get(tunable.name).cloned();
        if let Some(pinned) = pinned.filter(|variant| tunable.admits(variant, &self.adapter, precision)) {
            return pinned;
        }
        let default = || (tunable.default)(&self.adapter, precision, shape);
        let Some(regime) = tunable.regimes.iter().position(|regime| regime.contains.contain(shape)) else {
            return default();
        };
        let key = (tunable.name, precision);
        let find = |state: &State| Some(state.resolved.get(&key)?.best(tunable, precision, regime, shape));
        // The guard ends with the statement: resolving needs the lock to itself.
        let known = find(&self.locked());
        let found = known.unwrap_or_else(|| {
            let mut state = self.write();
            let resolved = state.resolve(tunable, &self.adapter, precision);
            state.resolved.insert(key, resolved);
            find(&state).flatten()
        });
        found.unwrap_or_else(default)
    }

    /// Every call of this operation takes this variant, whatever its shape, until another is pinned, or none; for
    /// measuring and testing. A call whose precision the variant does not fit chooses as if nothing were pinned.
    ///
    /// ```
    /// use nonius::{Device, dense};
    /// let device = Device::host();
    /// let [gemv, ..] = dense::tunables();
    /// for variant in gemv.variants(device.adapter(), nonius::device::precision::Precision::of::<f32>(
    ///     nonius::device::precision::Width::Single,
    /// )) {
    ///     device.tuning().pin(gemv.name, Some(variant));
    ///     // Calls of gemv on this device take it.
    /// }
    /// device.tuning().pin(gemv.name, None);
    /// ```
    pub fn pin(&self, operation: &str, variant: Option<Variant>) {
        let mut state = self.write();
        match variant {
            Some(variant) => state.pinned.insert(operation.to_owned(), variant),
            None => state.pinned.remove(operation),
        };
    }

    /// Every entry and where it is from, overrides first.
    #[must_use]
    pub fn entries(&self) -> Vec<(Source, Entry)> {
        self.locked().entries.clone()
    }

    /// What is said of each regime by the first source that speaks of it, and which that is; entries that do not fit say nothing.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn known(&self, tunable: &Tunable, precision: Precision) -> Vec<(Source, super::Choice)> {
        let mut known: Vec<(Source, super::Choice)> = Vec::new();
        for (source, entry) in self.entries() {
            if entry.is_for(tunable.name, precision) && entry.resolve(tunable, &self.adapter, precision).is_ok() {
                for choice in entry.regimes {
                    if !known.iter().any(|(_, known)| known.regime == choice.regime) {
                        known.push((source, choice));
                    }
                }
            }
        }
        known
    }

    /// Sets an entry for this run, before all others for the same operation and precision. It must be for one of the tunables,
    /// and for its kernels as they are.
    ///
    /// # Errors
    /// [`Error::Tuning`](crate::Error::Tuning) for an entry that calls would pass over: of another operation, of other kernels,
    /// or with numbers that no device has.
    pub fn override_with(&self, entry: Entry, tunables: &[&'static Tunable]) -> Result<()> {
        self.check(std::slice::from_ref(&entry), tunables)?;
        self.write().put_all(Source::Override, [entry]);
        Ok(())
    }

    /// Takes entries in beside the user's own, in place of those for the same operation and precision: what a search
    /// has found, or a file of somebody else. [`Tuning::save`] writes them. Each must be for one of the tunables, and for its
    /// kernels as they are.
    ///
    /// # Errors
    /// As [`Tuning::override_with`]; then nothing is taken in.
    pub fn merge(&self, entries: Vec<Entry>, tunables: &[&'static Tunable]) -> Result<()> {
        self.check(&entries, tunables)?;
        self.write().put_all(Source::User, entries);
        Ok(())
    }

    /// [`Tuning::merge`] with the entries of a file.
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) with the path and what is wrong, another adapter or driver included; then
    /// nothing is taken in.
    pub fn load_file(&self, path: &Path, tunables: &[&'static Tunable]) -> Result<()> {
        let database = self.read(path)?;
        self.merge(database.entries, tunables).map_err(|error| at(path, error))
    }

    /// Writes the user's entries into the user's file for this adapter, and says where that is; none where there is no
    /// place for it (the host, browsers, `NONIUS_TUNING_DIR` set to nothing).
    ///
    /// # Errors
    /// [`Error::File`](crate::Error::File) when it cannot be written; then what was there is there still.
    pub fn save(&self) -> Result<Option<PathBuf>> {
        let path = user_file(&self.adapter);
        path.map(|path| self.save_file(&path).map(|()| path)).transpose()
    }

    /// Where [`Tuning::save`] writes to.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        user_file(&self.adapter)
    }

    /// [`Tuning::save`] to a file of one's own.
    ///
    /// # Errors
    /// As [`Tuning::save`].
    pub fn save_file(&self, path: &Path) -> Result<()> {
        let mut database = Database::new(&self.adapter);
        let users = self.entries().into_iter().filter(|(source, _)| *source == Source::User);
        users.for_each(|(_, entry)| database.insert(entry));
        database.write(path)
    }

    /// Forgets all entries, those of the user and what is shipped included, and what is pinned, so that every choice is
    /// the default. Files stay as they are.
    pub fn clear(&self) {
        let mut state = self.write();
        state.entries.clear();
        state.pinned.clear();
        state.resolved.clear();
    }

    /// Loads what nobody asked for by name: what is wrong with it is a warning. Its entries meet their operations
    /// later.
    pub(super) fn load_user_file(&self, path: &Path) {
        match self.read(path) {
            Ok(database) => self.write().put_all(Source::User, database.entries),
            Err(error) => log::warn!("this tuning is ignored: {error}"),
        }
    }

    /// The file's database, if it is this adapter's with this driver.
    fn read(&self, path: &Path) -> Result<Database> {
        let database = Database::read(path)?;
        if !database.is_of(&self.adapter) {
            let reason = format!(
                "tuned for {:?} on {:?}, this is {:?} on {:?}",
                database.adapter, database.backend, self.adapter.name, self.adapter.backend
            );
            return Err(at(path, reason));
        }
        if database.driver != self.adapter.driver {
            let (then, now) = (database.driver, &self.adapter.driver);
            return Err(at(path, format!("tuned with the driver {then:?}, this is {now:?}")));
        }
        Ok(database)
    }

    /// That calls of the tunables would choose by the entries: what calls pass over with a warning nobody means to take in.
    fn check(&self, entries: &[Entry], tunables: &[&'static Tunable]) -> Result<()> {
        entries.iter().try_for_each(|entry| {
            let tunable = tunables.iter().find(|tunable| tunable.name == entry.operation);
            let tunable = tunable.ok_or_else(|| entry.error("nothing tunable has this name"))?;
            entry.resolve(tunable, &self.adapter, entry.precision()?).map(|_| ())
        })
    }

    fn locked(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn put_all(&mut self, source: Source, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            self.entries
                .retain(|(from, known)| *from != source || !entry.replaces(known));
            self.entries.push((source, entry));
        }
        self.entries.sort_by_key(|(source, _)| *source);
        self.resolved.clear();
    }

    /// For each regime what the first source says that speaks of it. An entry that does not fit the tunable is reported
    /// and passed over; the others still count.
    fn resolve(&self, tunable: &Tunable, adapter: &Adapter, precision: Precision) -> Resolved {
        let mut resolved = Resolved::new(tunable);
        for (source, entry) in self
            .entries
            .iter()
            .filter(|(_, entry)| entry.is_for(tunable.name, precision))
        {
            match entry.resolve(tunable, adapter, precision) {
                Ok(lower) => resolved.fill(lower),
                Err(error) => log::warn!("an entry ({source}) is ignored: {error}"),
            }
        }
        resolved
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Override => "set at run time",
            Self::User => "the user's",
            Self::Shipped => "shipped",
        })
    }
}

impl fmt::Debug for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tuning")
            .field("adapter", &self.adapter.name)
            .field("entries", &self.locked().entries.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::synthetic::{PRECISION, TUNABLE, adapter, entry};
    use crate::tuning::{Candidate, Choice, Model};
    use crate::{Device, Error};

    const SQUARE: Shape = Shape::new(4096, 1, 4096);
    const SMALL: Shape = Shape::new(512, 1, 512);

    fn chosen(tuning: &Tuning, shape: Shape) -> String {
        tuning.choose(&TUNABLE, PRECISION, shape).to_string()
    }

    #[test]
    fn untuned_is_the_default() {
        let tuning = Tuning::untuned(&adapter());
        let anywhere = [SQUARE, SMALL, Shape::new(1 << 20, 1, 1), Shape::new(0, 0, 0)];
        for shape in anywhere {
            assert_eq!(chosen(&tuning, shape), "rows WORKGROUP=128 ROWS=1");
        }
    }

    #[test]
    fn the_least_modelled_time_is_chosen() {
        let candidate = |values: &[u32], start, term| {
            let model = Model {
                start,
                term,
                ..Model::default()
            };
            Candidate::new(&TUNABLE.families[0].variant(values), model, 0.0)
        };
        let candidates = vec![candidate(&[64, 1], 1e-6, 2e-12), candidate(&[256, 2], 9e-6, 1e-12)];
        let regime = "square".to_owned();
        let tuning = Tuning::untuned(&adapter());
        let entry = Entry::new(&TUNABLE, adapter().kind, PRECISION, vec![Choice { regime, candidates }]);
        assert_eq!(tuning.override_with(entry, &[&TUNABLE]), Ok(()));
        assert_eq!(chosen(&tuning, Shape::new(2000, 1, 2000)), "rows WORKGROUP=64 ROWS=1");
        assert_eq!(chosen(&tuning, Shape::new(4000, 1, 4000)), "rows WORKGROUP=256 ROWS=2");
        assert_eq!(chosen(&tuning, SMALL), "rows WORKGROUP=128 ROWS=1");
    }

    #[test]
    fn overrides_come_before_the_users_and_those_before_what_is_shipped() {
        let tuning = Tuning::untuned(&adapter());
        tuning.write().put_all(Source::Shipped, [entry("square", &[64, 1])]);
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=1");
        assert_eq!(tuning.merge(vec![entry("square", &[64, 2])], &[&TUNABLE]), Ok(()));
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=2");
        assert_eq!(tuning.override_with(entry("square", &[64, 4]), &[&TUNABLE]), Ok(()));
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=4");
        // Merging again replaces the user's, not the override.
        assert_eq!(tuning.merge(vec![entry("square", &[256, 1])], &[&TUNABLE]), Ok(()));
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=4");
        let sources: Vec<Source> = tuning.entries().into_iter().map(|(source, _)| source).collect();
        assert_eq!(sources, [Source::Override, Source::User, Source::Shipped]);
        // An override that says nothing of a regime leaves it to the others.
        assert_eq!(tuning.override_with(entry("small", &[512, 1]), &[&TUNABLE]), Ok(()));
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=256 ROWS=1");
        assert_eq!(chosen(&tuning, SMALL), "rows WORKGROUP=512 ROWS=1");
        // One that has no candidates says: the default.
        let mut default = entry("square", &[64, 1]);
        default.regimes[0].candidates.clear();
        assert_eq!(tuning.override_with(default, &[&TUNABLE]), Ok(()));
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=128 ROWS=1");
        tuning.clear();
        assert_eq!(chosen(&tuning, SMALL), "rows WORKGROUP=128 ROWS=1");
        assert!(tuning.entries().is_empty());
    }

    /// Of other kernels, of an operation that there is not, with a value outside its range and with a number that no device has.
    fn unfit() -> [Entry; 4] {
        let changed = |change: &dyn Fn(&mut Entry)| {
            let mut entry = entry("square", &[64, 4]);
            change(&mut entry);
            entry
        };
        [
            changed(&|entry| entry.fingerprint = "0123456789abcdef".to_owned()),
            changed(&|entry| entry.operation = "columns".to_owned()),
            changed(&|entry| {
                let constants = &mut entry.regimes[0].candidates[0].constants;
                constants.insert("ROWS".to_owned(), 3);
            }),
            changed(&|entry| entry.regimes[0].candidates[0].model.term = f64::NAN),
        ]
    }

    /// Saved, an entry that no call chooses by would refuse the file to who loads it by name.
    #[test]
    fn an_entry_that_does_not_fit_is_refused_and_nothing_taken_in() {
        for unfit in unfit() {
            let tuning = Tuning::untuned(&adapter());
            let both = vec![entry("small", &[64, 2]), unfit.clone()];
            for refused in [
                tuning.override_with(unfit, &[&TUNABLE]),
                tuning.merge(both, &[&TUNABLE]),
            ] {
                assert!(matches!(refused, Err(Error::Tuning { .. })), "{refused:?}");
            }
            assert!(tuning.entries().is_empty());
        }
        let unnamed = Tuning::untuned(&adapter()).merge(vec![entry("square", &[64, 4])], &[]);
        let text = unnamed.expect_err("nothing has its name").to_string();
        assert!(
            text.contains("rows in f32") && text.contains("nothing tunable"),
            "{text}"
        );
    }

    /// The user's file is read before it is known what there is to choose, and may be older than the kernels.
    #[test]
    fn an_entry_that_does_not_fit_leaves_the_choice_to_the_next() {
        for unfit in unfit() {
            let tuning = Tuning::untuned(&adapter());
            tuning.write().put_all(Source::Shipped, [entry("square", &[64, 2])]);
            tuning.write().put_all(Source::User, [unfit]);
            assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=2");
        }
    }

    #[test]
    fn what_is_pinned_comes_before_all_where_it_fits() {
        let tuning = Tuning::untuned(&adapter());
        assert_eq!(tuning.override_with(entry("square", &[64, 4]), &[&TUNABLE]), Ok(()));
        let pin = |values: &[u32]| tuning.pin("rows", Some(TUNABLE.families[0].variant(values)));
        pin(&[256, 2]);
        for shape in [SQUARE, SMALL, Shape::new(0, 0, 0)] {
            assert_eq!(chosen(&tuning, shape), "rows WORKGROUP=256 ROWS=2");
        }
        // Too many invocations, a value outside its range, a value too few: launched, each would be wrong.
        for unfit in [&[512, 4][..], &[65, 1], &[64]] {
            pin(unfit);
            assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=4");
        }
        tuning.pin("columns", Some(TUNABLE.families[0].variant(&[256, 1])));
        tuning.pin("rows", None);
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=64 ROWS=4");
        pin(&[256, 1]);
        tuning.clear();
        assert_eq!(chosen(&tuning, SQUARE), "rows WORKGROUP=128 ROWS=1");
    }

    #[test]
    fn a_device_keeps_its_tuning() {
        let device = Device::host();
        assert_eq!(
            device.tuning().override_with(entry("square", &[64, 2]), &[&TUNABLE]),
            Ok(())
        );
        assert_eq!(chosen(device.clone().tuning(), SQUARE), "rows WORKGROUP=64 ROWS=2");
        assert_eq!(chosen(Device::host().tuning(), SQUARE), "rows WORKGROUP=128 ROWS=1");
    }
}
