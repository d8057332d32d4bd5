//! The paper's four findings, and whether they hold here.

use nonius::lu::fragment::{Division, Handover, Variant};

use super::measure::{Row, Study};

pub(super) struct Finding {
    /// What the paper found, in 2005.
    pub(super) paper: &'static str,
    /// What was found here.
    pub(super) here: String,
    /// None where what was measured does not tell.
    pub(super) holds: Option<bool>,
}

pub(super) fn all(study: &Study) -> [Finding; 4] {
    [handover(study), branches(study), efficiency(study), division(study)]
}

fn largest(study: &Study) -> usize {
    study.rows.iter().map(|row| row.n).max().unwrap_or(0)
}

fn at(study: &Study, variant: Variant, handover: Handover, n: usize) -> Option<&Row> {
    study.rows(variant, handover).find(|row| row.n == n)
}

/// Of the largest order, the geometric mean over the variants.
fn handover(study: &Study) -> Finding {
    let n = largest(study);
    let ratio = |variant| {
        let total = |handover| at(study, variant, handover, n).map(|row| row.total);
        Some(total(Handover::Copy)? / total(Handover::PingPong)?)
    };
    let logarithms: Vec<f64> = Variant::ALL.into_iter().filter_map(ratio).map(f64::ln).collect();
    #[expect(clippy::cast_precision_loss, reason = "four")]
    let ratio = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    Finding {
        paper: "exchanging buffers avoids copies, and halves the time",
        here: format!("at N = {n}, copying takes {ratio:.2} times as long as exchanging (mean of the variants)"),
        holds: ratio.is_finite().then_some(ratio >= 2.0),
    }
}

/// In totals, with buffers exchanged, as the paper compares at N = 512.
fn branches(study: &Study) -> Finding {
    const CROSSING: usize = 512;
    let faster = |n: usize, host, fragment| {
        let total = |variant| at(study, variant, Handover::PingPong, n).map(|row| row.total);
        Some(total(host)? < total(fragment)?)
    };
    let mut orders: Vec<usize> = study.rows.iter().map(|row| row.n).collect();
    orders.dedup();
    let (mut host, mut fragment, mut holds) = (Vec::new(), Vec::new(), None);
    for n in orders {
        let pairs = [(Variant::I1, Variant::I2), (Variant::I3, Variant::I4)];
        let wins = pairs.map(|(on_host, in_fragment)| faster(n, on_host, in_fragment));
        if wins == [Some(true); 2] {
            host.push(n.to_string());
        }
        if wins == [Some(false); 2] {
            fragment.push(n.to_string());
        }
        if n > CROSSING {
            holds = Some(holds.unwrap_or(true) && wins == [Some(true); 2]);
        }
    }
    let list = |orders: &[String]| {
        if orders.is_empty() {
            "none".to_owned()
        } else {
            orders.join(", ")
        }
    };
    let unknown = if holds.is_none() {
        "; none above 512 was measured"
    } else {
        ""
    };
    Finding {
        paper: "branching is a trade-off: above N = 512 the host should do it, below it the GPU",
        here: format!(
            "with and without vectors, the host is faster at N = {}, the GPU at N = {}{unknown}",
            list(&host),
            list(&fragment)
        ),
        holds,
    }
}

fn efficiency(study: &Study) -> Finding {
    let speed = |row: &&Row| study.gigaflops(row);
    let best = study.rows.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)));
    let paper = "at most 30 % of the peak is reached: caches need more bandwidth";
    let Some(best) = best else {
        return Finding {
            paper,
            here: "nothing was measured".to_owned(),
            holds: None,
        };
    };
    let peak = 2.0 * study.multiply_adds * 1e-9;
    let share = study.gigaflops(best) / peak;
    #[expect(clippy::cast_precision_loss, reason = "a figure")]
    let referenced = best.counts.referenced_bytes as f64 / study.seconds(best) * 1e-9;
    Finding {
        paper,
        here: format!(
            "{:.3} GFLOP/s at best ({}, {}, N = {}), {:.2} % of {peak:.1}; fragments read {referenced:.2} GB/s",
            study.gigaflops(best),
            best.variant,
            best.handover,
            best.n,
            100.0 * share
        ),
        holds: share.is_finite().then_some(share <= 0.3),
    }
}

/// With the device's own division, at every N above four; and without that, by correcting quotients alone.
fn division(study: &Study) -> Finding {
    let beyond = || study.errors.iter().filter(|errors| errors.n > 4);
    let of = |division| beyond().filter(move |errors| errors.division == division);
    let differing = of(Division::Native).filter(|errors| errors.different > 0).count();
    let orders = of(Division::Native).count();
    let corrected = of(Division::Corrected).all(|errors| errors.different == 0);
    let why = match (differing, corrected) {
        (0, _) => "",
        (_, true) => "; with corrected quotients alone, it is the host's everywhere",
        (_, false) => "; it differs with corrected quotients too",
    };
    Finding {
        paper: "the GPU's result is never the CPU's for N > 4, mainly because of division",
        here: format!(
            "with the device's own division, the result differs from the host's at {differing} of {orders} N{why}"
        ),
        holds: (orders > 0).then_some(differing == orders && corrected),
    }
}
