//! Watching, and stopping, what lasts.

use std::ops::ControlFlow;

/// Sees the progress of a long operation, and may end it.
pub trait Observer {
    /// `operation` has done `done` of `total` steps. [`ControlFlow::Break`] ends it with
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    fn progress(&mut self, operation: &'static str, done: usize, total: usize) -> ControlFlow<()>;
}

/// Watches nothing.
impl Observer for () {
    fn progress(&mut self, _operation: &'static str, _done: usize, _total: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Progress as an error: cancelled or not.
pub(crate) fn tell(
    observer: &mut dyn Observer,
    operation: &'static str,
    done: usize,
    total: usize,
) -> crate::Result<()> {
    match observer.progress(operation, done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(crate::Error::Cancelled { operation }),
    }
}
