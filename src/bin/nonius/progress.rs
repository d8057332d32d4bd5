//! How far something is that lasts.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use nonius::Observer;

/// A bar on standard error, for what lasts.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    wanted: bool,
}

impl Progress {
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            bar: None,
            start: Instant::now(),
            wanted,
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn progress(&mut self, operation: &'static str, done: usize, total: usize) -> ControlFlow<()> {
        if self.wanted && self.bar.is_none() && self.start.elapsed() > Duration::from_millis(500) {
            let style = ProgressStyle::with_template("{msg:<15} [{bar:40}] {percent}% {eta}");
            let style = style
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> ");
            self.bar = Some(ProgressBar::new(0).with_style(style));
        }
        if let Some(bar) = &self.bar {
            bar.set_message(operation);
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
        ControlFlow::Continue(())
    }
}
