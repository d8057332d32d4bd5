//! What the library warns of, on standard error.

use log::{LevelFilter, Log, Metadata, Record};
use nonius::tuning::{Entry, Source};
use nonius::{Device, dense, sparse};

struct Warnings;

/// Of the library's own: what graphics stacks note about themselves says nothing to who runs this command.
impl Log for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::Level::Warn && metadata.target().starts_with("nonius")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("nonius: warning: {}", record.args());
        }
    }

    fn flush(&self) {}
}

/// Entries of a tuning meet their operations when these are called; those of operations that do not exist never would.
pub(crate) fn of_tuning(device: &Device) {
    for warning in unknown(&device.tuning().entries()) {
        log::warn!("{warning}");
    }
}

fn unknown(entries: &[(Source, Entry)]) -> Vec<String> {
    let tunables = || dense::tunables().into_iter().chain(sparse::tunables());
    let unknown = entries
        .iter()
        .filter(|(_, entry)| tunables().all(|tunable| tunable.name != entry.operation));
    unknown
        .map(|(source, entry)| {
            format!(
                "an entry ({source}) is ignored: nothing tunable is called {:?}",
                entry.operation
            )
        })
        .collect()
}

pub(crate) fn show() {
    if log::set_logger(&Warnings).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_do_not_exist_are_warned_of() {
        let entry = |operation: &str| Entry {
            operation: operation.to_owned(),
            scalar: "f32".to_owned(),
            element: "f32".to_owned(),
            fingerprint: "0123456789abcdef".to_owned(),
            regimes: Vec::new(),
        };
        let names = dense::tunables().into_iter().chain(sparse::tunables());
        let mut entries: Vec<(Source, Entry)> = names.map(|tunable| (Source::User, entry(tunable.name))).collect();
        assert!(unknown(&entries).is_empty());
        entries.push((Source::User, entry("gemw")));
        let warned = unknown(&entries);
        assert_eq!(
            warned,
            ["an entry (the user's) is ignored: nothing tunable is called \"gemw\""]
        );
    }
}
