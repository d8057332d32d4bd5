//! What the library warns of, on standard error.

use log::{LevelFilter, Log, Metadata, Record};

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

pub(crate) fn show() {
    if log::set_logger(&Warnings).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}
