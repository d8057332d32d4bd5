//! Commands on their way: recorded one by one, submitted in pieces that no driver's watchdog minds.

use std::sync::Arc;
use std::thread::{self, ThreadId};

use super::parameters::Space;
use super::pipeline::Pipeline;
use super::timer::Stamps;
use super::{Context, wgpu};
use crate::device::AdapterKind;
use crate::device::gpu_buffer::GpuBuffer;
use crate::device::launch::{Launch, Work};
use crate::error::{Error, Result};

/// What is recorded and not submitted yet.
pub(super) struct Recorder {
    encoder: Option<wgpu::CommandEncoder>,
    pass: Option<wgpu::ComputePass<'static>>,
    /// Parameters of the recorded launches; they become the contents of `ring` when these are submitted.
    params: Vec<u8>,
    ring: wgpu::Buffer,
    alignment: usize,
    launches: usize,
    /// Launches of this submission, at most.
    most: usize,
    seconds: f64,
    speed: Speed,
    submissions: u64,
    /// The last of them.
    last: Option<wgpu::SubmissionIndex>,
    /// Where passes write when they begin and end, while somebody measures.
    stamps: Option<Stamps>,
    /// Bindings of the recorded launches, the latest last: most launches of a loop are bound as an earlier one was, and
    /// wgpu takes longer to make a bind group than for all the rest of a launch.
    bound: Vec<Bound>,
    /// Whose commands these are. A submission that is refused is lost to all of them, not only to the thread that makes it.
    authors: Vec<ThreadId>,
    /// Such losses that a thread has not heard of yet.
    unheard: Vec<(ThreadId, Error)>,
}

/// A bind group, and what it was made of.
struct Bound {
    pipeline: Arc<Pipeline>,
    buffers: Vec<wgpu::Buffer>,
    bindings: wgpu::BindGroup,
}

/// A cautious guess of what the hardware does in a second, so that a submission lasts about 50 ms at most: drivers and
/// browsers end what lasts seconds.
#[derive(Clone, Copy)]
pub(super) struct Speed {
    bytes: f64,
    operations: f64,
}

const RING: usize = 64 * 1024;
const SUBMISSION_SECONDS: f64 = 0.05;
/// Launches of a submission: few at first, since a device that has nothing else to do waits while they are recorded, some
/// microseconds each, and twice as many each time, since a submission has a price of its own.
const FEWEST: usize = 8;
const MOST: usize = 256;
/// The different bindings that a launch is compared with, at most.
const SEARCHED: usize = 16;

impl Speed {
    pub(super) fn of(kind: AdapterKind) -> Self {
        match kind {
            AdapterKind::Discrete | AdapterKind::Virtual => Self {
                bytes: 100e9,
                operations: 500e9,
            },
            AdapterKind::Integrated | AdapterKind::Other => Self {
                bytes: 20e9,
                operations: 50e9,
            },
            AdapterKind::Software | AdapterKind::Host => Self {
                bytes: 2e9,
                operations: 1e9,
            },
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn seconds(self, work: Work) -> f64 {
        (work.bytes as f64 / self.bytes).max(work.operations as f64 / self.operations)
    }
}

impl Recorder {
    pub(super) fn new(device: &wgpu::Device, limits: &wgpu::Limits, speed: Speed, params: Space) -> Self {
        let ring = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("parameters"),
            size: RING as u64,
            usage: params.usage() | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let alignment = params.alignment(limits);
        Self {
            encoder: None,
            pass: None,
            params: Vec::with_capacity(RING),
            ring,
            alignment,
            launches: 0,
            most: FEWEST,
            seconds: 0.0,
            speed,
            submissions: 0,
            last: None,
            stamps: None,
            bound: Vec::new(),
            authors: Vec::new(),
            unheard: Vec::new(),
        }
    }

    pub(super) fn launch(&mut self, context: &Context, pipeline: &Arc<Pipeline>, launch: &Launch<'_>) -> Result<()> {
        let params = launch.params.bytes();
        let mut offset = self.params.len().next_multiple_of(self.alignment);
        if offset + params.len() > RING {
            self.submit(context)?;
            offset = 0;
        }
        self.sign();
        self.params.resize(offset, 0);
        self.params.extend_from_slice(&params);
        let bindings = self.bind(context, pipeline, params.len() as u64, launch.buffers)?;
        let pass = self.pass(context)?;
        pass.set_pipeline(&pipeline.raw);
        pass.set_bind_group(0, &bindings, &[crate::device::grid::narrow(offset)]);
        if let Some(barrier) = &pipeline.barrier {
            pass.set_bind_group(1, barrier, &[]);
        }
        pass.dispatch_workgroups(launch.grid.x, launch.grid.y, 1);
        self.launches += 1;
        self.seconds += self.speed.seconds(launch.work);
        Ok(())
    }

    fn bind(
        &mut self,
        context: &Context,
        pipeline: &Arc<Pipeline>,
        params: u64,
        buffers: &[&GpuBuffer],
    ) -> Result<wgpu::BindGroup> {
        let raw = || buffers.iter().map(|buffer| buffer.wgpu().raw());
        let same = |bound: &&Bound| Arc::ptr_eq(&bound.pipeline, pipeline) && bound.buffers.iter().eq(raw());
        if let Some(bound) = self.bound.iter().rev().take(SEARCHED).find(same) {
            return Ok(bound.bindings.clone());
        }
        // Whoever was shown a buffer may have destroyed it.
        let bindings = context.faults.scoped(pipeline.label, 0, &context.device, || {
            pipeline.bind(&context.device, &self.ring, params, buffers)
        })?;
        self.bound.push(Bound {
            pipeline: Arc::clone(pipeline),
            buffers: raw().cloned().collect(),
            bindings: bindings.clone(),
        });
        Ok(bindings)
    }

    pub(super) fn copy(
        &mut self,
        context: &Context,
        from: (&wgpu::Buffer, u64),
        to: (&wgpu::Buffer, u64),
        bytes: u64,
    ) -> Result<()> {
        self.sign();
        self.pass = None;
        self.encoder(context)?
            .copy_buffer_to_buffer(from.0, from.1, to.0, to.1, bytes);
        self.seconds += self.speed.seconds(Work {
            bytes: 2 * bytes,
            operations: 0,
        });
        Ok(())
    }

    /// Fills a buffer with zeros.
    pub(super) fn clear(&mut self, context: &Context, buffer: &wgpu::Buffer) -> Result<()> {
        self.sign();
        self.pass = None;
        self.encoder(context)?.clear_buffer(buffer, 0, None);
        self.seconds += self.speed.seconds(Work {
            bytes: buffer.size(),
            operations: 0,
        });
        Ok(())
    }

    pub(super) fn submit_if_full(&mut self, context: &Context) -> Result<()> {
        if self.launches < self.most && self.seconds < SUBMISSION_SECONDS {
            return Ok(());
        }
        self.most = (2 * self.most).min(MOST);
        self.submit(context)
    }

    /// Passes from here on are stamped; not where they are already.
    pub(super) fn stamp(&mut self, stamps: Stamps) -> bool {
        if self.stamps.is_some() {
            return false;
        }
        // A pass that is open began before.
        self.pass = None;
        self.stamps = Some(stamps);
        self.most = MOST;
        true
    }

    /// The stamps, which passes write no more.
    pub(super) fn unstamp(&mut self) -> Option<Stamps> {
        self.pass = None;
        self.stamps.take()
    }

    /// What is recorded next is this thread's.
    fn sign(&mut self) {
        let author = thread::current().id();
        if !self.authors.contains(&author) {
            self.authors.push(author);
        }
    }

    /// Submits what is recorded.
    ///
    /// # Errors
    /// What was refused, now or in a submission by another thread of what this one had recorded; that is told once.
    pub(super) fn submit(&mut self, context: &Context) -> Result<()> {
        let author = thread::current().id();
        if let Some(position) = self.unheard.iter().position(|(thread, _)| *thread == author) {
            return Err(self.unheard.swap_remove(position).1);
        }
        self.pass = None;
        self.launches = 0;
        self.seconds = 0.0;
        self.bound.clear();
        let Some(encoder) = self.encoder.take() else {
            return Ok(());
        };
        // Both happen in the queue's order, so the ring can be filled anew for every submission.
        let params = std::mem::take(&mut self.params);
        let authors = std::mem::take(&mut self.authors);
        let submitted = context.faults.scoped("a submission", 0, &context.device, || {
            if !params.is_empty() {
                context.queue.write_buffer(&self.ring, 0, &params);
            }
            context.queue.submit([encoder.finish()])
        });
        match submitted {
            Ok(index) => {
                self.last = Some(index);
                self.submissions += 1;
                Ok(())
            }
            Err(error) => {
                let others = authors.into_iter().filter(|other| *other != author);
                self.unheard.extend(others.map(|other| (other, error.clone())));
                Err(error)
            }
        }
    }

    /// Somebody waited until that many submissions were done. What is measured is as in the middle of much work.
    pub(super) fn waited_for(&mut self, submissions: u64) {
        if submissions == self.submissions && self.stamps.is_none() {
            self.most = FEWEST;
        }
    }

    pub(super) fn submissions(&self) -> u64 {
        self.submissions
    }

    /// What to wait for, so that everything submitted so far is done.
    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "a browser tells when work is done, and cannot be waited for")
    )]
    pub(super) fn last(&self) -> Option<wgpu::SubmissionIndex> {
        self.last.clone()
    }

    fn encoder(&mut self, context: &Context) -> Result<&mut wgpu::CommandEncoder> {
        let encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => context.faults.scoped("a submission", 0, &context.device, || {
                let descriptor = wgpu::CommandEncoderDescriptor::default();
                context.device.create_command_encoder(&descriptor)
            })?,
        };
        Ok(self.encoder.insert(encoder))
    }

    fn pass(&mut self, context: &Context) -> Result<&mut wgpu::ComputePass<'static>> {
        let pass = match self.pass.take() {
            Some(pass) => pass,
            None => {
                let mut stamps = self.stamps.take();
                let encoder = self.encoder(context);
                let begun = encoder.map(|encoder| {
                    let descriptor = wgpu::ComputePassDescriptor {
                        label: None,
                        timestamp_writes: stamps.as_mut().and_then(Stamps::next),
                    };
                    encoder.begin_compute_pass(&descriptor).forget_lifetime()
                });
                self.stamps = stamps;
                begun?
            }
        };
        Ok(self.pass.insert(pass))
    }
}
