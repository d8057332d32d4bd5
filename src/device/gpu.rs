//! A GPU, whichever way it is driven. Floors above see only this.

use std::ops::Deref;

use super::arithmetic::found::Arithmetic;
use super::gpu_buffer::GpuBuffer;
use super::kernel::Kernel;
use super::launch::Launch;
use super::precision::{Precision, Version};
use super::time::Elapsed;
use crate::error::Result;

/// The one seam between operations and backends: allocate, copy, launch, wait. Without a backend it has no values.
pub(crate) enum Gpu {
    /// Through wgpu.
    #[cfg(feature = "wgpu")]
    Wgpu(super::wgpu::Context),
}

/// A place in the order of what a [`Gpu`] is given to do.
pub(crate) enum Mark {
    /// Among wgpu's submissions.
    #[cfg(feature = "wgpu")]
    Wgpu(super::wgpu::Mark),
}

/// Bytes on their way from a [`Gpu`] to the host.
pub(crate) enum Download {
    /// In one of wgpu's buffers.
    #[cfg(feature = "wgpu")]
    Wgpu(super::wgpu::Download),
}

/// Calls the backend's function of the same name. Without a backend, there is nothing to match.
macro_rules! backend {
    ($gpu:expr, $context:ident => $call:expr) => {
        match *$gpu {
            #[cfg(feature = "wgpu")]
            Gpu::Wgpu(ref $context) => $call,
        }
    };
}

#[cfg_attr(
    not(feature = "wgpu"),
    allow(
        unused_variables,
        clippy::unused_async,
        reason = "without a backend, nothing is called"
    )
)]
impl Gpu {
    pub(crate) fn arithmetic(&self) -> &Arithmetic {
        backend!(self, context => context.arithmetic())
    }

    /// How many workgroups it was seen to run at once; 1 where that was not measured.
    pub(crate) fn workgroups_at_once(&self) -> u32 {
        backend!(self, context => context.workgroups_at_once())
    }

    /// Memory of `bytes` bytes, zero at first.
    pub(crate) fn allocate(&self, what: &str, bytes: u64) -> Result<GpuBuffer> {
        backend!(self, context => Ok(GpuBuffer::Wgpu(context.allocate(what, bytes)?)))
    }

    /// Memory of `bytes` bytes, which holds anything.
    pub(crate) fn allocate_unwritten(&self, what: &str, bytes: u64) -> Result<GpuBuffer> {
        backend!(self, context => Ok(GpuBuffer::Wgpu(context.allocate_unwritten(what, bytes)?)))
    }

    /// Memory of at least `bytes` bytes, holding anything, until what needs it is recorded. The next operation may get it
    /// again, since commands run in the order in which they are recorded. (An allocation for each call is
    /// what is thought to have cost 0.6 ms at some sizes on an H200: BENCHMARKS.md.)
    pub(crate) fn scratch(&self, what: &str, bytes: u64) -> Result<Scratch<'_>> {
        backend!(self, context => Ok(Scratch {
            gpu: self,
            buffer: Some(context.take_scratch(what, bytes)?),
        }))
    }

    /// Memory that holds `data`.
    pub(crate) fn upload_new(&self, what: &str, data: &[u8]) -> Result<GpuBuffer> {
        backend!(self, context => Ok(GpuBuffer::Wgpu(context.upload_new(what, data)?)))
    }

    /// Overwrites bytes, after everything recorded so far.
    pub(crate) fn upload(&self, to: &GpuBuffer, offset: u64, data: &[u8]) -> Result<()> {
        backend!(self, context => context.upload(to.wgpu(), offset, data))
    }

    /// Reads bytes back, when everything recorded so far is done.
    pub(crate) async fn download(&self, from: &GpuBuffer, offset: u64, bytes: u64) -> Result<Vec<u8>> {
        self.downloaded(self.start_download(from, offset, bytes)?).await
    }

    /// Submits everything recorded, and asks for bytes as it leaves them.
    pub(crate) fn start_download(&self, from: &GpuBuffer, offset: u64, bytes: u64) -> Result<Download> {
        backend!(self, context => Ok(Download::Wgpu(context.start_download(from.wgpu().raw(), offset, bytes)?)))
    }

    /// The bytes of a download, once they are here; what was recorded after it goes on meanwhile.
    pub(crate) async fn downloaded(&self, download: Download) -> Result<Vec<u8>> {
        backend!(self, context => {
            let Download::Wgpu(download) = download;
            context.downloaded(download).await
        })
    }

    /// Records a launch.
    pub(crate) fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        backend!(self, context => context.launch(launch))
    }

    /// Records a launch in a version of the scalar that is only being tried.
    pub(crate) fn launch_as(&self, version: Version, launch: &Launch<'_>) -> Result<()> {
        backend!(self, context => context.launch_as(version, launch))
    }

    /// Compiles kernels side by side, before they are launched.
    pub(crate) fn prepare(&self, kernels: &[(&'static Kernel, Precision, Version)]) {
        backend!(self, context => context.prepare(kernels));
    }

    pub(crate) fn submit(&self) -> Result<()> {
        backend!(self, context => context.submit())
    }

    pub(crate) async fn synchronize(&self) -> Result<()> {
        backend!(self, context => context.synchronize().await)
    }

    /// Submits everything recorded, and marks the place.
    pub(crate) fn mark(&self) -> Result<Mark> {
        backend!(self, context => Ok(Mark::Wgpu(context.mark()?)))
    }

    /// Waits until everything before a mark is done; what was recorded after it goes on meanwhile.
    pub(crate) async fn reached(&self, mark: Mark) -> Result<()> {
        backend!(self, context => {
            let Mark::Wgpu(mark) = mark;
            context.reached(mark).await
        })
    }

    /// How long it takes to do what `work` records, alone.
    pub(crate) async fn time(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Elapsed> {
        backend!(self, context => context.time(work).await)
    }
}

/// Memory that goes back to its GPU when the operation that asked for it is recorded; another thread's gets its own.
pub(crate) struct Scratch<'a> {
    gpu: &'a Gpu,
    buffer: Option<GpuBuffer>,
}

impl Deref for Scratch<'_> {
    type Target = GpuBuffer;

    fn deref(&self) -> &GpuBuffer {
        self.buffer
            .as_ref()
            .unwrap_or_else(|| unreachable!("it goes back once, at the end"))
    }
}

impl Drop for Scratch<'_> {
    #[cfg_attr(
        not(feature = "wgpu"),
        allow(unused_variables, reason = "without a backend, nothing goes back")
    )]
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        backend!(self.gpu, context => context.keep_scratch(buffer));
    }
}
