//! Memory of a device: what is in use, and large buffers that were freed and wait to be used again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A buffer of a [`Context`](super::Context).
pub(crate) struct Memory {
    raw: wgpu::Buffer,
    /// Whether others were shown it, who may hold it for as long as they like.
    shown: AtomicBool,
    ledger: Arc<Ledger>,
}

/// What a context has given out and got back. A driver maps and unmaps the pages of large memory whenever it is made and freed: 5.7
/// and 3.4 ms for 256 MiB on an H200, a fifth of what factoring it takes (BENCHMARKS.md).
///
/// At most as much is kept as is in use, or [`ALWAYS`]; the oldest goes first.
pub(super) struct Ledger {
    limit: Option<u64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: u64,
    kept: Vec<wgpu::Buffer>,
}

/// Smaller buffers are parts of what the driver has given already.
const LARGE: u64 = 32 << 20;

/// Bytes that may be kept even if nothing is in use: what wgpu itself keeps of a driver's memory.
const ALWAYS: u64 = 256 << 20;

impl Ledger {
    pub(super) fn new(limit: Option<u64>) -> Arc<Self> {
        Arc::new(Self {
            limit,
            state: Mutex::default(),
        })
    }

    /// Counts `bytes` as used, unless that is beyond the limit, for which everything that is kept is let go.
    pub(super) fn reserve(&self, bytes: u64) -> bool {
        let mut state = self.state();
        let used = state.used.saturating_add(bytes);
        if let Some(limit) = self.limit {
            state.keep(limit.saturating_sub(used));
            if used > limit {
                return false;
            }
        }
        state.used = used;
        true
    }

    /// No memory was made after all.
    pub(super) fn unreserve(&self, bytes: u64) {
        let mut state = self.state();
        state.used -= bytes;
        state.keep_what_may_be();
    }

    /// A freed buffer of just that size, which holds anything.
    pub(super) fn take(&self, bytes: u64) -> Option<wgpu::Buffer> {
        let mut state = self.state();
        let position = state.kept.iter().position(|buffer| buffer.size() == bytes)?;
        Some(state.kept.remove(position))
    }

    /// Lets everything go that is kept; whether that was anything.
    pub(super) fn release(&self) -> bool {
        !std::mem::take(&mut self.state().kept).is_empty()
    }

    /// The memory whose bytes have been reserved.
    pub(super) fn memory(self: &Arc<Self>, raw: wgpu::Buffer) -> Memory {
        Memory {
            raw,
            shown: AtomicBool::new(false),
            ledger: Arc::clone(self),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whatever panicked, the state is whole: every change of it is one call.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn keep_what_may_be(&mut self) {
        self.keep(self.used.max(ALWAYS));
    }

    fn keep(&mut self, most: u64) {
        let mut bytes: u64 = self.kept.iter().map(wgpu::Buffer::size).sum();
        while bytes > most {
            bytes -= self.kept.remove(0).size();
        }
    }
}

impl Memory {
    pub(crate) fn raw(&self) -> &wgpu::Buffer {
        &self.raw
    }

    /// The buffer for those outside the library. It is not used again when this memory is freed.
    pub(crate) fn show(&self) -> &wgpu::Buffer {
        self.shown.store(true, Ordering::Relaxed);
        &self.raw
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let bytes = self.raw.size();
        let mut state = self.ledger.state();
        state.used -= bytes;
        if bytes >= LARGE && !*self.shown.get_mut() {
            state.kept.push(self.raw.clone());
        }
        state.keep_what_may_be();
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::device::{Buffer, Device, Gpu, Ground, Options};
    use crate::{Blocking as _, Select};

    const VALUES: usize = (LARGE / 4) as usize;

    fn open(memory: Option<u64>) -> Option<Device> {
        let options = Options {
            memory,
            ..Options::default()
        };
        let device = Device::open_with(Select::Auto, options).block_on().expect("it opens");
        let found = !device.is_host();
        if !found {
            println!("not tested: there is no adapter");
        }
        found.then_some(device)
    }

    fn kept(device: &Device) -> Vec<wgpu::Buffer> {
        let Ground::Gpu(gpu) = device.ground() else {
            unreachable!("it is a GPU")
        };
        let Gpu::Wgpu(context) = &**gpu;
        context.memory.state().kept.clone()
    }

    #[test]
    fn what_was_freed_is_used_again_and_holds_zeros() {
        let Some(device) = open(None) else { return };
        let x = Buffer::from_slice(&device, &vec![1.0_f32; VALUES]).expect("it fits");
        let raw = x.gpu().wgpu().raw().clone();
        drop(x);
        assert_eq!(kept(&device), std::slice::from_ref(&raw));
        let another = Buffer::<f32>::zeros(&device, VALUES + 4).expect("it fits");
        assert!(another.gpu().wgpu().raw() != &raw, "it has another size");
        let again = Buffer::<f32>::zeros(&device, VALUES).expect("it fits");
        assert!(again.gpu().wgpu().raw() == &raw && kept(&device).is_empty());
        let values = again
            .start_read(0, VALUES)
            .expect("it is asked for")
            .values()
            .block_on()
            .expect("it is read");
        assert!(
            values.iter().all(|value| *value == 0.0),
            "it holds what was there before"
        );
    }

    #[test]
    fn what_others_were_shown_is_not_used_again() {
        let Some(device) = open(None) else { return };
        let x = Buffer::from_slice(&device, &vec![1.0_f32; VALUES]).expect("it fits");
        let shown = x.wgpu().expect("it is on a GPU").clone();
        drop(x);
        assert!(kept(&device).is_empty());
        let another = Buffer::<f32>::zeros(&device, VALUES).expect("it fits");
        assert!(another.gpu().wgpu().raw() != &shown);
    }

    #[test]
    fn no_more_is_kept_than_is_in_use_or_the_least() {
        let Some(device) = open(None) else { return };
        let many = || {
            let one = || Buffer::<f32>::zeros(&device, VALUES).expect("it fits");
            std::iter::repeat_with(one).take(12).collect::<Vec<_>>()
        };
        let (mut first, second) = (many(), many());
        drop(second);
        assert_eq!(kept(&device).len(), 12);
        // 11, 10 and 9 are in use.
        for left in [11, 10, 9, 8, 8] {
            first.pop();
            assert_eq!(kept(&device).len(), left);
        }
        drop(first);
        assert_eq!(kept(&device).len() as u64, ALWAYS / LARGE);
    }

    #[test]
    fn scratch_that_nobody_has_makes_room() {
        let Some(device) = open(Some(4 * LARGE)) else { return };
        let Ground::Gpu(gpu) = device.ground() else {
            unreachable!("it is a GPU")
        };
        drop(gpu.scratch("scratch", 2 * LARGE).expect("there is room"));
        let held = Buffer::<f32>::zeros(&device, 3 * VALUES).expect("nobody has the scratch");
        assert!(gpu.scratch("scratch", 2 * LARGE).is_err(), "beyond the limit");
        drop(held);
        let _scratch = gpu.scratch("scratch", 2 * LARGE).expect("there is room again");
    }

    #[test]
    fn what_is_kept_makes_room_for_what_is_wanted() {
        let Some(device) = open(Some(4 * LARGE)) else { return };
        let one = || Buffer::<f32>::zeros(&device, VALUES).expect("it fits");
        drop([one(), one(), one()]);
        assert_eq!(kept(&device).len(), 3);
        let _held = Buffer::<f32>::zeros(&device, 2 * VALUES).expect("there is room");
        assert!(kept(&device).len() <= 2);
        let _more = Buffer::<f32>::zeros(&device, 2 * VALUES - (1 << 18)).expect("there is room");
        assert!(kept(&device).is_empty());
        Buffer::<f32>::zeros(&device, 64).expect("the last of it");
        assert!(Buffer::<f32>::zeros(&device, 1 << 19).is_err(), "beyond the limit");
    }
}
