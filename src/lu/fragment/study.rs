//! How long a variant takes: the paper's table 4, by today's clocks.

use web_time::Instant;

use super::model::Counts;
use super::passes::{Elimination, Parts};
use super::{Handover, Plan};
use crate::dense::Matrix;
use crate::error::Result;
use crate::scalar::Scalar;

/// What a plan took, in seconds; but for the span, each is the median of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured<T> {
    /// From the first draw that is recorded until the host knows that the last is done: the paper's A, by the host's clock.
    pub total: f64,
    /// Of the totals, the shortest and the longest.
    pub total_span: [f64; 2],
    /// Of the draws alone, by the device's clock: the paper's G. None where that is missing, or cannot be believed.
    pub gpu: Option<f64>,
    /// From the first draw that is recorded until the last is handed to the driver, by the host's clock: what the paper's C
    /// was, except that the device works meanwhile, so that the parts do not sum to the whole.
    pub cpu: f64,
    /// Of the copies alone, by the device's clock: the paper's T. Zero where buffers are exchanged.
    pub copy: Option<f64>,
    /// What was issued in a run.
    pub counts: Counts,
    /// The factors, row after row.
    pub factors: Vec<T>,
}

/// Times the elimination of A. Neither bringing A into texels nor collecting the factors counts, as in the paper.
///
/// The whole is issued for `total` and `cpu`. Then the draws are issued without the copies, and the copies without the
/// draws: these runs compute nothing of use, and take the time of one half of the work.
///
/// # Errors
/// As [`super::factor`], and as [`Device::time`](crate::Device::time).
///
/// # Cost
/// 1 + `runs` eliminations, and as many of each half where results are copied.
///
/// ```
/// use nonius::lu::fragment::{Division, Handover, Plan, Variant, study};
/// use nonius::{Blocking, Device, dense::Matrix};
/// let plan = Plan { variant: Variant::I2, handover: Handover::PingPong, division: Division::Corrected };
/// let a = Matrix::from_rows(&Device::host(), 2, 2, &[2.0_f32, 1.0, 4.0, 5.0])?;
/// let measured = study::measure(&a, plan, 3).block_on()?;
/// assert_eq!(measured.factors, [2.0, 1.0, 2.0, 3.0]);
/// assert!(measured.gpu.is_none() && measured.copy == Some(0.0));
/// # Ok::<(), nonius::Error>(())
/// ```
pub async fn measure<T: Scalar>(a: &Matrix<T>, plan: Plan, runs: usize) -> Result<Measured<T>> {
    let device = a.device();
    let runs = runs.max(1);
    let mut elimination = Elimination::new(a, plan)?;
    // The first run compiles.
    elimination.begin(a)?;
    let counts = elimination.run(Parts::All)?;
    let collected = elimination.collect(Matrix::zeros(device, a.rows(), a.cols())?)?;
    let factors = collected.to_host().await?;

    let (mut total, mut cpu, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        elimination.begin(a)?;
        let mut recorded = 0.0;
        let elapsed = device
            .time(&mut || {
                let start = Instant::now();
                elimination.run(Parts::All)?;
                device.submit()?;
                recorded = start.elapsed().as_secs_f64();
                Ok(())
            })
            .await?;
        total.push(elapsed.wall);
        cpu.push(recorded);
        whole.push(elapsed.device);
    }
    let (gpu, copy) = match plan.handover {
        Handover::PingPong => (by_device(whole), Some(0.0)),
        Handover::Copy => {
            let mut halves = [Vec::new(), Vec::new()];
            for (times, parts) in halves.iter_mut().zip([Parts::Draws, Parts::Copies]) {
                for _ in 0..runs {
                    elimination.begin(a)?;
                    let elapsed = device.time(&mut || elimination.run(parts).map(|_| ())).await?;
                    times.push(elapsed.device);
                }
            }
            let [draws, copies] = halves;
            (by_device(draws), by_device(copies))
        }
    };
    let shortest = total.iter().copied().fold(f64::INFINITY, f64::min);
    let longest = total.iter().copied().fold(0.0, f64::max);
    Ok(Measured {
        total: median(total),
        total_span: [shortest, longest],
        gpu,
        cpu: median(cpu),
        copy,
        counts,
        factors,
    })
}

/// The median, if the device's clock counted most of the times.
fn by_device(times: Vec<Option<f64>>) -> Option<f64> {
    let runs = times.len();
    let counted: Vec<f64> = times.into_iter().flatten().collect();
    (2 * counted.len() > runs).then(|| median(counted))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_clock_is_none() {
        assert_eq!(by_device(vec![Some(3.0), None, Some(1.0)]), Some(3.0));
        assert_eq!(by_device(vec![Some(3.0), None]), None);
        assert_eq!(by_device(vec![None]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }
}
