//! What the graphics stack reports, as errors of this library.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// Faults of one wgpu device.
pub(super) struct Faults {
    device: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The first that nobody has heard of yet, or the loss of the device.
    pending: Option<Error>,
    lost: bool,
}

impl Faults {
    pub(super) fn new(device: &str) -> Self {
        Self {
            device: device.to_owned(),
            state: Mutex::default(),
        }
    }

    /// Routes the errors of a device that this library has opened here; on a device that was handed over, the owner's
    /// callbacks stay, and scopes see our errors.
    pub(super) fn listen(self: &std::sync::Arc<Self>, device: &wgpu::Device) {
        let faults = self.clone();
        device.on_uncaptured_error(std::sync::Arc::new(move |error| {
            faults.report(faults.translate("an operation", 0, &error));
        }));
        let faults = self.clone();
        device.set_device_lost_callback(move |reason, message| faults.lose(format!("{reason:?}: {message}")));
    }

    /// The pending fault, if there is one. A lost device stays lost; other faults are told once.
    pub(super) fn check(&self) -> Result<()> {
        let mut state = self.state();
        let fault = if state.lost {
            state.pending.clone()
        } else {
            state.pending.take()
        };
        fault.map_or(Ok(()), Err)
    }

    /// Runs calls into wgpu, and returns what they report. In a browser, reports come later, to the callback.
    pub(super) fn scoped<R>(
        &self,
        what: &str,
        bytes: u64,
        device: &wgpu::Device,
        calls: impl FnOnce() -> R,
    ) -> Result<R> {
        self.check()?;
        #[cfg(not(target_arch = "wasm32"))]
        {
            let filters = [
                wgpu::ErrorFilter::Internal,
                wgpu::ErrorFilter::Validation,
                wgpu::ErrorFilter::OutOfMemory,
            ];
            let scopes = filters.map(|filter| device.push_error_scope(filter));
            let result = caught(calls);
            // In reverse, and also after a panic: scopes are a stack.
            let mut first = None;
            for scope in scopes.into_iter().rev() {
                // Native scopes are ready at once.
                let error = pollster::block_on(scope.pop());
                first = first.or(error);
            }
            match (first, result) {
                (Some(error), _) => Err(self.unless_lost(self.translate(what, bytes, &error), device)),
                (None, Err(reason)) => Err(self.unless_lost(self.refused(what, reason), device)),
                (None, Ok(result)) => Ok(result),
            }
        }
        #[cfg(target_arch = "wasm32")]
        {
            let _ = (what, bytes, device);
            Ok(calls())
        }
    }

    /// Runs a call of wgpu that panics when the device is lost (wgpu 30: `poll`).
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn guarded<R>(&self, what: &str, device: &wgpu::Device, call: impl FnOnce() -> R) -> Result<R> {
        self.check()?;
        caught(call).map_err(|reason| self.unless_lost(self.refused(what, reason), device))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn refused(&self, what: &str, reason: String) -> Error {
        Error::Refused {
            what: what.to_owned(),
            device: self.device.clone(),
            reason,
        }
    }

    /// The error, or the loss of the device where that is what lies behind a refusal: the owner of a device that was
    /// handed over hears of its loss, and this library does not.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn unless_lost(&self, error: Error, device: &wgpu::Device) -> Error {
        if !matches!(error, Error::Refused { .. }) || self.makes_buffers(device) {
            return error;
        }
        self.lose(error.to_string());
        self.check().err().unwrap_or(error)
    }

    /// As [`Faults::check`], and whether the device is still there although nobody said otherwise.
    pub(super) fn check_thoroughly(&self, device: &wgpu::Device) -> Result<()> {
        self.check()?;
        #[cfg(not(target_arch = "wasm32"))]
        if !self.makes_buffers(device) {
            self.lose("it makes no buffers any more".to_owned());
        }
        #[cfg(target_arch = "wasm32")]
        let _ = device;
        self.check()
    }

    /// In browsers, the loss is heard of.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn unless_lost(&self, error: Error, _: &wgpu::Device) -> Error {
        error
    }

    /// A lost device makes buffers that are no buffers, and says nothing (wgpu 30).
    #[cfg(not(target_arch = "wasm32"))]
    fn makes_buffers(&self, device: &wgpu::Device) -> bool {
        let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let made = caught(|| {
            let probe = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("probe"),
                size: 16,
                usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            });
            probe.slice(..).get_mapped_range_mut().is_ok()
        });
        let out_of_memory = pollster::block_on(scope.pop()).is_some();
        out_of_memory || made.unwrap_or(false)
    }

    fn lose(&self, reason: String) {
        let error = Error::DeviceLost {
            device: self.device.clone(),
            reason,
        };
        log::error!("{error}");
        *self.state() = State {
            pending: Some(error),
            lost: true,
        };
    }

    fn report(&self, error: Error) {
        log::error!("{error}");
        self.state().pending.get_or_insert(error);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whatever panicked, the state is whole: every change of it is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn translate(&self, what: &str, bytes: u64, error: &wgpu::Error) -> Error {
        let (what, device) = (what.to_owned(), self.device.clone());
        match error {
            wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { what, bytes, device },
            wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => Error::Refused {
                what,
                device,
                reason: description.clone(),
            },
        }
    }
}

/// What a call returns, or what it panicked with: the graphics stack's faults are not the user's end.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn caught<R>(call: impl FnOnce() -> R) -> std::result::Result<R, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        said.unwrap_or_else(|| "the graphics stack panicked".to_owned())
    })
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_stack_is_a_refusal_and_leaves_the_scopes_in_order() {
        let Some(adapter) = pollster::block_on(super::super::adapters()).into_iter().next() else {
            println!("not tested: there is no adapter");
            return;
        };
        let opened = super::super::open::request(&adapter, &wgpu::DeviceDescriptor::default());
        let (device, _) = opened.expect("it opens");
        // Beside tests that end, NVIDIA's driver does not bear that it is destroyed.
        std::mem::forget(device.clone());
        let faults = Faults::new("it");
        for _ in 0..2 {
            let refused = faults.scoped("a trial", 0, &device, || -> () { panic!("as naga may") });
            let (what, device, reason) = ("a trial".to_owned(), "it".to_owned(), "as naga may".to_owned());
            assert_eq!(refused, Err(Error::Refused { what, device, reason }));
        }
        assert_eq!(faults.scoped("a trial", 0, &device, || 5), Ok(5));
    }
}
