//! Timestamps: every compute pass that is recorded while somebody measures writes when it began and when it ended.

use web_time::Instant;

use super::{Context, wgpu};
use crate::device::time::{Clocks, Elapsed};
use crate::error::Result;

/// The stamps of a measurement. A pair for every pass, and not one for the whole: passes are cut where submissions are,
/// so the last is not known when it begins, and an empty pass behind it has no stamps on some drivers.
pub(super) struct Stamps {
    set: wgpu::QuerySet,
    used: u32,
    /// Whether there were more passes than there is room for.
    full: bool,
}

/// A measurement that is going on; dropping it ends it, also when the work fails or panics.
struct Measurement<'a> {
    context: &'a Context,
    /// Whether the stamps in the recorder are this measurement's.
    stamped: bool,
}

impl Stamps {
    /// Where the next pass writes.
    pub(super) fn next(&mut self) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        if self.used + 2 > wgpu::QUERY_SET_MAX_QUERIES {
            self.full = true;
            return None;
        }
        let begin = self.used;
        self.used += 2;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(begin),
            end_of_pass_write_index: Some(begin + 1),
        })
    }
}

impl Context {
    pub(crate) async fn time(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<Elapsed> {
        self.synchronize().await?;
        let empty = self.round_trip().await?;
        let mut measurement = Measurement::begin(self)?;
        let start = Instant::now();
        work()?;
        self.submit()?;
        let recorded = start.elapsed().as_secs_f64();
        self.done().await?;
        let wall = start.elapsed().as_secs_f64();
        let device = match measurement.end() {
            None => Err("it has none, or it is measured already".to_owned()),
            Some(Stamps { full: true, .. }) => Err("it was stamped too often".to_owned()),
            Some(stamps) => {
                let stamps = self.resolve(&stamps).await?;
                let clocks = Clocks {
                    passes: stamps.as_chunks().0,
                    tick: f64::from(self.queue.get_timestamp_period()) * 1e-9,
                    wall,
                    waited: wall - recorded,
                    empty,
                };
                clocks.believed()
            }
        };
        if let Err(reason) = &device {
            log::debug!("{}: its clock does not count: {reason}", self.name);
        }
        let device = device.ok();
        Ok(Elapsed { device, wall })
    }

    /// How long the host waits for a submission of nothing.
    async fn round_trip(&self) -> Result<f64> {
        let start = Instant::now();
        self.faults.scoped("a submission", 0, &self.device, || {
            let encoder = self
                .device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            self.queue.submit([encoder.finish()]);
        })?;
        self.done().await?;
        Ok(start.elapsed().as_secs_f64())
    }

    async fn resolve(&self, stamps: &Stamps) -> Result<Vec<u64>> {
        if stamps.used == 0 {
            return Ok(Vec::new());
        }
        let bytes = u64::from(stamps.used) * u64::from(wgpu::QUERY_SIZE);
        let raw = self.faults.scoped("timestamps", bytes, &self.device, || {
            let raw = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: bytes,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let mut encoder = self
                .device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.resolve_query_set(&stamps.set, 0..stamps.used, &raw, 0);
            self.queue.submit([encoder.finish()]);
            raw
        })?;
        let download = self.start_download(&raw, 0, bytes)?;
        let bytes = self.downloaded(download).await?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

impl<'a> Measurement<'a> {
    fn begin(context: &'a Context) -> Result<Self> {
        let mut stamped = context.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        if stamped {
            let set = context.faults.scoped("timestamps", 0, &context.device, || {
                context.device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("timestamps"),
                    ty: wgpu::QueryType::Timestamp,
                    count: wgpu::QUERY_SET_MAX_QUERIES,
                })
            })?;
            stamped = context.recorder().stamp(Stamps {
                set,
                used: 0,
                full: false,
            });
        }
        Ok(Self { context, stamped })
    }

    /// The stamps that were written; none the second time.
    fn end(&mut self) -> Option<Stamps> {
        let stamped = std::mem::take(&mut self.stamped);
        stamped.then(|| self.context.recorder().unstamp()).flatten()
    }
}

impl Drop for Measurement<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
