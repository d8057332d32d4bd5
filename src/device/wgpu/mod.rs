//! A GPU through wgpu: Vulkan, Metal, DX12, OpenGL, and WebGPU in browsers.

mod faults;
#[cfg(not(target_arch = "wasm32"))]
mod lease;
pub(super) mod memory;
#[cfg_attr(target_arch = "wasm32", path = "no_contraction_in_browsers.rs")]
mod no_contraction;
mod open;
mod parameters;
mod pipeline;
mod recorder;
mod timer;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::wgpu;

pub(crate) use open::{adapters, describe, open};

use faults::Faults;
#[cfg(not(target_arch = "wasm32"))]
use lease::Lease;
use memory::{Ledger, Memory};
use pipeline::Pipelines;
use recorder::Recorder;

use super::arithmetic::found::Arithmetic;
use super::gpu_buffer::GpuBuffer;
use super::kernel::Kernel;
use super::launch::Launch;
use super::precision::{Precision, Version};
use crate::error::{Error, Result};

/// In browsers no device is kept.
#[cfg(target_arch = "wasm32")]
type Lease = std::convert::Infallible;

/// A wgpu device with its queue, and what this library keeps for it.
pub(crate) struct Context {
    name: String,
    device: wgpu::Device,
    queue: wgpu::Queue,
    limits: wgpu::Limits,
    memory: Arc<Ledger>,
    faults: Arc<Faults>,
    pipelines: Pipelines,
    recorder: Mutex<Recorder>,
    arithmetic: Arithmetic,
    workgroups_at_once: u32,
    scratch: Mutex<Vec<GpuBuffer>>,
    /// Dropped last.
    _lease: Option<Lease>,
}

/// The most bytes of a scratch buffer, and the most of these, that are kept between operations.
const KEPT_SCRATCH: u64 = 64 << 20;
const MOST_SCRATCH: usize = 4;

/// What new memory holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    Zeros,
    Anything,
    /// What is written while it is mapped.
    Mapped,
}

/// A place in the order of submissions.
pub(crate) struct Mark {
    submissions: u64,
    #[cfg(not(target_arch = "wasm32"))]
    index: Option<wgpu::SubmissionIndex>,
    #[cfg(target_arch = "wasm32")]
    done: futures_intrusive::channel::shared::OneshotReceiver<()>,
}

/// Bytes on their way to the host.
pub(crate) struct Download {
    /// None for no bytes.
    staging: Option<wgpu::Buffer>,
    arrived: futures_intrusive::channel::shared::OneshotReceiver<std::result::Result<(), wgpu::BufferAsyncError>>,
    mark: Mark,
}

const USAGES: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

impl Context {
    pub(crate) fn arithmetic(&self) -> &Arithmetic {
        &self.arithmetic
    }

    pub(crate) fn workgroups_at_once(&self) -> u32 {
        self.workgroups_at_once
    }

    pub(crate) fn allocate(&self, what: &str, bytes: u64) -> Result<Memory> {
        self.create(what, bytes, Contents::Zeros)
    }

    /// As [`Context::allocate`], holding anything.
    pub(crate) fn allocate_unwritten(&self, what: &str, bytes: u64) -> Result<Memory> {
        self.create(what, bytes, Contents::Anything)
    }

    pub(crate) fn take_scratch(&self, what: &str, bytes: u64) -> Result<GpuBuffer> {
        let mut kept = self.scratch();
        if let Some(position) = kept.iter().position(|memory| memory.wgpu().raw().size() >= bytes) {
            return Ok(kept.swap_remove(position));
        }
        drop(kept);
        // Room to grow into, as far as that is kept.
        let size = if bytes < KEPT_SCRATCH {
            bytes.next_power_of_two()
        } else {
            bytes
        };
        let memory = self
            .allocate_unwritten(what, size)
            .or_else(|_| self.allocate_unwritten(what, bytes))?;
        Ok(GpuBuffer::Wgpu(memory))
    }

    pub(crate) fn keep_scratch(&self, memory: GpuBuffer) {
        let size = memory.wgpu().raw().size();
        let mut kept = self.scratch();
        // What is smaller has been outgrown.
        kept.retain(|other| other.wgpu().raw().size() >= size);
        if size <= KEPT_SCRATCH && kept.len() < MOST_SCRATCH {
            kept.push(memory);
        }
    }

    /// Lets the scratch buffers go that no operation has; whether there were any.
    fn release_scratch(&self) -> bool {
        !std::mem::take(&mut *self.scratch()).is_empty()
    }

    fn scratch(&self) -> MutexGuard<'_, Vec<GpuBuffer>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn upload_new(&self, what: &str, data: &[u8]) -> Result<Memory> {
        let memory = self.create(what, data.len() as u64, Contents::Mapped)?;
        let refused = |reason: String| self.refused("an upload", reason);
        if !data.is_empty() {
            let mapped = memory.raw().slice(..padded(data.len() as u64)).get_mapped_range_mut();
            let mut mapped = mapped.map_err(|error| refused(error.to_string()))?;
            mapped.slice(..data.len()).copy_from_slice(data);
        }
        memory.raw().unmap();
        Ok(memory)
    }

    pub(crate) fn upload(&self, to: &Memory, offset: u64, data: &[u8]) -> Result<()> {
        // A write runs before everything that is recorded but not submitted: submit first.
        self.submit()?;
        if data.is_empty() {
            return Ok(());
        }
        self.faults.scoped("an upload", 0, &self.device, || {
            self.queue.write_buffer(to.raw(), offset, data);
        })
    }

    /// Compiles kernels side by side, as far as there are threads, and meanwhile uses the queue for the first time, which
    /// costs a driver some milliseconds too. What fails will fail again when it is launched.
    pub(crate) fn prepare(&self, kernels: &[(&'static Kernel, Precision, Version)]) {
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::scope(|scope| {
            for (kernel, precision, version) in kernels {
                scope.spawn(|| self.pipelines.get(self, kernel, *precision, *version, &[]).err());
            }
            let first_use = || {
                let download = self.start_download(self.allocate("first use", 16)?.raw(), 0, 16)?;
                pollster::block_on(self.downloaded(download))
            };
            first_use().err()
        });
        #[cfg(target_arch = "wasm32")]
        let _ = kernels;
    }

    pub(crate) fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let version = self.arithmetic.version(launch.precision.scalar)?;
        self.launch_as(version, launch)
    }

    /// A launch in a version that the self-test has not vouched for: the self-test's own.
    pub(crate) fn launch_as(&self, version: Version, launch: &Launch<'_>) -> Result<()> {
        self.faults.check()?;
        debug_assert!(
            launch.params.fits(launch.kernel),
            "parameters of {}",
            launch.kernel.name
        );
        let pipeline = self
            .pipelines
            .get(self, launch.kernel, launch.precision, version, launch.constants)?;
        let mut recorder = self.recorder();
        recorder.launch(self, &pipeline, launch)?;
        recorder.submit_if_full(self)
    }

    pub(crate) fn submit(&self) -> Result<()> {
        self.recorder().submit(self)?;
        self.faults.check()
    }

    pub(crate) async fn synchronize(&self) -> Result<()> {
        self.submit()?;
        self.done().await?;
        self.faults.check_thoroughly(&self.device)
    }

    /// Submits, and marks what is submitted by now.
    pub(crate) fn mark(&self) -> Result<Mark> {
        let mut recorder = self.recorder();
        recorder.submit(self)?;
        let mark = Mark {
            submissions: recorder.submissions(),
            #[cfg(not(target_arch = "wasm32"))]
            index: recorder.last(),
            #[cfg(target_arch = "wasm32")]
            done: {
                let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
                self.queue.on_submitted_work_done(move || {
                    let _ = sender.send(());
                });
                receiver
            },
        };
        self.faults.check()?;
        Ok(mark)
    }

    /// Waits for what was submitted before a mark, and for nothing after it.
    #[cfg_attr(
        not(target_arch = "wasm32"),
        expect(clippy::unused_async, reason = "only a browser cannot block")
    )]
    pub(crate) async fn reached(&self, mark: Mark) -> Result<()> {
        #[cfg(target_arch = "wasm32")]
        mark.done.receive().await;
        #[cfg(not(target_arch = "wasm32"))]
        if mark.index.is_some() {
            self.poll(wgpu::PollType::Wait {
                submission_index: mark.index,
                timeout: None,
            })?;
        }
        self.recorder().waited_for(mark.submissions);
        self.faults.check()
    }

    /// Waits for what is submitted.
    async fn done(&self) -> Result<()> {
        let submissions = self.recorder().submissions();
        let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
        self.queue.on_submitted_work_done(move || {
            // The receiver may be gone: then nobody waits any more.
            let _ = sender.send(());
        });
        self.wait()?;
        receiver.receive().await;
        self.recorder().waited_for(submissions);
        self.faults.check()
    }

    /// Submits, and asks for bytes as everything recorded so far leaves them.
    pub(crate) fn start_download(&self, from: &wgpu::Buffer, offset: u64, bytes: u64) -> Result<Download> {
        let (sender, arrived) = futures_intrusive::channel::shared::oneshot_channel();
        if bytes == 0 {
            return Ok(Download {
                staging: None,
                arrived,
                mark: self.mark()?,
            });
        }
        // Copies are of whole 4-byte words; the elements of a buffer always are.
        let staging = self.faults.scoped("a read-back", bytes, &self.device, || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read-back"),
                size: bytes,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })?;
        self.recorder().copy(self, (from, offset), (&staging, 0), bytes)?;
        let mark = self.mark()?;
        self.faults.scoped("a read-back", bytes, &self.device, || {
            staging.slice(..).map_async(wgpu::MapMode::Read, move |outcome| {
                // The receiver may be gone: then nobody waits any more.
                let _ = sender.send(outcome);
            });
        })?;
        Ok(Download {
            staging: Some(staging),
            arrived,
            mark,
        })
    }

    /// The bytes of a download; what was recorded after it was asked for goes on meanwhile.
    pub(crate) async fn downloaded(&self, download: Download) -> Result<Vec<u8>> {
        let Download { staging, arrived, mark } = download;
        self.reached(mark).await?;
        let Some(staging) = staging else {
            return Ok(Vec::new());
        };
        let outcome = arrived.receive().await;
        self.faults.check()?;
        let refused = |reason: String| self.refused("a read-back", reason);
        match outcome {
            Some(Ok(())) => {
                let mapped = staging
                    .slice(..)
                    .get_mapped_range()
                    .map_err(|error| refused(error.to_string()))?;
                let bytes = mapped.to_vec();
                drop(mapped);
                // A browser frees a buffer that is let go when it collects garbage, and does not know how much that is. Elsewhere
                // it is freed at once; and wgpu 30 destroys only when no thread waits for the device, and lets none begin
                // anything until then.
                #[cfg(target_arch = "wasm32")]
                staging.destroy();
                Ok(bytes)
            }
            Some(Err(error)) => Err(refused(error.to_string())),
            None => Err(refused("the driver dropped the request".to_owned())),
        }
    }

    /// Memory of `bytes` bytes, rounded up to 16, so that packs may be read to the end.
    fn create(&self, what: &str, bytes: u64, contents: Contents) -> Result<Memory> {
        self.faults.check()?;
        let size = padded(bytes);
        let limits = [
            (
                "maxStorageBufferBindingSize",
                self.limits.max_storage_buffer_binding_size,
            ),
            ("maxBufferSize", self.limits.max_buffer_size),
            // Elements of 4 bytes, and a stride of a grid behind the last of them.
            ("32-bit indices", 4 << 31),
        ];
        for (limit_name, limit) in limits {
            if size > limit {
                let device = self.name.clone();
                return Err(Error::TooLarge {
                    what: what.to_owned(),
                    bytes,
                    limit,
                    limit_name,
                    device,
                });
            }
        }
        let freed = (contents != Contents::Mapped).then(|| self.memory.take(size)).flatten();
        if !(self.memory.reserve(size) || self.release_scratch() && self.memory.reserve(size)) {
            return Err(Error::OutOfMemory {
                what: what.to_owned(),
                bytes,
                device: self.name.clone(),
            });
        }
        if let Some(raw) = freed {
            if contents == Contents::Zeros {
                self.recorder()
                    .clear(self, &raw)
                    .inspect_err(|_| self.memory.unreserve(size))?;
            }
            return Ok(self.memory.memory(raw));
        }
        let create = || {
            self.faults.scoped(what, bytes, &self.device, || {
                self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(what),
                    size,
                    usage: USAGES,
                    mapped_at_creation: contents == Contents::Mapped,
                })
            })
        };
        let created = create().or_else(|error| {
            if !matches!(error, Error::OutOfMemory { .. }) {
                return Err(error);
            }
            // The scratch first: what is large of it is kept in turn.
            if !(self.release_scratch() | self.memory.release()) {
                return Err(error);
            }
            // What was let go is free when the device no longer needs it.
            self.submit()?;
            self.wait()?;
            create()
        });
        if created.is_err() {
            self.memory.unreserve(size);
        }
        created.map(|raw| self.memory.memory(raw))
    }

    fn refused(&self, what: &str, reason: String) -> Error {
        let error = Error::Refused {
            what: what.to_owned(),
            device: self.name.clone(),
            reason,
        };
        self.faults.unless_lost(error, &self.device)
    }

    /// Waits for everything. A browser polls by itself.
    fn wait(&self) -> Result<()> {
        #[cfg(not(target_arch = "wasm32"))]
        self.poll(wgpu::PollType::wait_indefinitely())?;
        self.faults.check()
    }

    /// The one place that polls.
    #[cfg(not(target_arch = "wasm32"))]
    fn poll(&self, until: wgpu::PollType) -> Result<()> {
        let polled = self
            .faults
            .guarded("to be waited for", &self.device, || self.device.poll(until))?;
        polled
            .map(|_| ())
            .map_err(|error| self.refused("to be waited for", error.to_string()))
    }

    fn recorder(&self) -> MutexGuard<'_, Recorder> {
        // A panic while recording leaves a recorder that is still whole: commands are appended one at a time.
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rounded up to 16, and 16 at least; what cannot be rounded up is beyond every limit.
fn padded(bytes: u64) -> u64 {
    bytes.checked_next_multiple_of(16).unwrap_or(u64::MAX).max(16)
}
