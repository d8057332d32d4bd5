//! wgpu devices of drivers that cannot take one back while threads end: what nobody has any more is kept, and lent again.
//!
//! NVIDIA's driver (580.159, Vulkan) joins threads of its own when a device is destroyed. They wait for a lock that a thread has
//! which used Vulkan and ends, and that thread waits for the destruction: both wait for ever. Opening a device has such threads,
//! and nobody knows what other threads of a program do, so there no device is destroyed before the process ends. What a
//! device was for, memory and pipelines, is given back all the same.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::faults::{Faults, caught};
use super::wgpu;

static IDLE: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

#[derive(Clone)]
struct Opened {
    adapter: wgpu::AdapterInfo,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

/// A device that is kept when this is dropped.
pub(super) struct Lease(Opened);

impl Lease {
    /// None where devices are destroyed when they are dropped.
    pub(super) fn of(adapter: &wgpu::AdapterInfo, device: &wgpu::Device, queue: &wgpu::Queue) -> Option<Self> {
        let is_kept = adapter.backend == wgpu::Backend::Vulkan && adapter.driver == "NVIDIA";
        is_kept.then(|| Self::new(adapter, device, queue))
    }

    fn new(adapter: &wgpu::AdapterInfo, device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self(Opened {
            adapter: adapter.clone(),
            device: device.clone(),
            queue: queue.clone(),
        })
    }

    /// A device of this adapter that was kept and is not lost, whose faults are listened to from now on.
    pub(super) fn again(adapter: &wgpu::AdapterInfo) -> Option<(Self, Arc<Faults>)> {
        loop {
            let mut kept = idle();
            let position = kept.iter().position(|opened| opened.adapter == *adapter)?;
            let lease = kept.swap_remove(position);
            drop(kept);
            let faults = Arc::new(Faults::new(&adapter.name));
            faults.listen(&lease.device);
            if faults.check_thoroughly(&lease.device).is_ok() {
                return Some((Self(lease), faults));
            }
            // A lost one is not destroyed either.
            std::mem::forget(lease);
        }
    }

    pub(super) fn parts(&self) -> (wgpu::Device, wgpu::Queue) {
        (self.0.device.clone(), self.0.queue.clone())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // What was dropped while it was written or computed with is given back when that is submitted and waited for. A lost device
        // may panic.
        let _ = caught(|| {
            self.0.queue.submit([]);
            self.0.device.poll(wgpu::PollType::wait_indefinitely())
        });
        idle().push(self.0.clone());
    }
}

fn idle() -> MutexGuard<'static, Vec<Opened>> {
    // Whatever panicked, a list is whole.
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::open;
    use super::*;

    /// The first adapter and a device of it, which is not destroyed, whatever driver it has.
    fn opened() -> Option<(wgpu::AdapterInfo, wgpu::Device, wgpu::Queue)> {
        let adapter = pollster::block_on(super::super::adapters()).into_iter().next();
        if adapter.is_none() {
            println!("not tested: there is no adapter");
        }
        let adapter = adapter?;
        let (device, queue) = open::request(&adapter, &wgpu::DeviceDescriptor::default()).expect("it opens");
        std::mem::forget(device.clone());
        Some((adapter.get_info(), device, queue))
    }

    #[test]
    fn what_is_given_back_is_lent_again_until_it_is_lost() {
        let Some((info, device, queue)) = opened() else { return };
        // Of an adapter that there is not, so that nobody else's device comes between.
        let info = wgpu::AdapterInfo {
            name: "of a test".to_owned(),
            ..info
        };
        let again = || Lease::again(&info).map(|(lease, _)| lease);
        assert!(again().is_none());
        let lease = Lease::new(&info, &device, &queue);
        assert!(again().is_none(), "it is lent");
        drop(lease);
        let lease = again().expect("it was given back");
        assert!(lease.parts() == (device.clone(), queue));
        assert!(again().is_none(), "it is lent again");
        drop(lease);
        device.destroy();
        assert!(again().is_none(), "it is lost");
    }

    #[test]
    fn only_what_cannot_be_destroyed_is_kept() {
        let Some((info, device, queue)) = opened() else { return };
        let is_kept = |backend, driver: &str| {
            let info = wgpu::AdapterInfo {
                name: "of another test".to_owned(),
                driver: driver.to_owned(),
                backend,
                ..info.clone()
            };
            Lease::of(&info, &device, &queue).is_some()
        };
        assert!(is_kept(wgpu::Backend::Vulkan, "NVIDIA"));
        assert!(!is_kept(wgpu::Backend::Vulkan, "llvmpipe"));
        assert!(!is_kept(wgpu::Backend::Dx12, "NVIDIA"));
    }
}
