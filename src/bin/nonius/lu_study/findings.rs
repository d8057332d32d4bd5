//! The paper's four findings, and whether they hold here. None is said to hold, or not to, of which a part was not measured.

use nonius::lu::fragment::{Division, Handover, Variant};

use super::measure::{Row, Study};

pub(super) struct Finding {
    /// What the paper found, in 2005.
    pub(super) paper: &'static str,
    /// What was found here, and where that does not decide, why.
    pub(super) here: String,
    /// None where what was measured does not decide.
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

/// Of the largest order, the geometric mean over the variants; with what it could have been, had other runs than those of
/// the medians counted.
fn handover(study: &Study) -> Finding {
    /// Where the paper's own table has the half: the mean is 1.4 at 1024, and below 1 at 256.
    const HALVED: usize = 2048;
    let n = largest(study);
    let mean = |ratio: fn(&Row, &Row) -> f64| {
        let of = |variant| {
            let row = |handover| at(study, variant, handover, n);
            Some(ratio(row(Handover::Copy)?, row(Handover::PingPong)?))
        };
        let logarithms: Vec<f64> = Variant::ALL.into_iter().filter_map(of).map(f64::ln).collect();
        #[expect(clippy::cast_precision_loss, reason = "four")]
        let count = logarithms.len() as f64;
        (logarithms.iter().sum::<f64>() / count).exp()
    };
    let ratio = mean(|copied, exchanged| copied.total / exchanged.total);
    let least = mean(|copied, exchanged| copied.total_span[0] / exchanged.total_span[1]);
    let most = mean(|copied, exchanged| copied.total_span[1] / exchanged.total_span[0]);
    let (holds, why) = if n < HALVED {
        (
            None,
            "; the paper has half the time at N = 2048 only, which was not measured",
        )
    } else if least >= 2.0 {
        (Some(true), "")
    } else if most < 2.0 {
        (Some(false), "")
    } else {
        (None, "; its runs differ too much to tell")
    };
    Finding {
        paper: "exchanging buffers avoids copies, and halves the time",
        here: format!(
            "at N = {n}, copying takes {ratio:.2} times as long as exchanging (mean of the variants; {least:.2} to \
             {most:.2} by single runs){why}"
        ),
        holds,
    }
}

/// In totals, with buffers exchanged, as the paper compares at N = 512.
fn branches(study: &Study) -> Finding {
    const CROSSING: usize = 512;
    /// The paper's smallest order.
    const SMALLEST: usize = 32;
    const SINGLE: Pair = Pair(Variant::I1, Variant::I2);
    const VECTOR: Pair = Pair(Variant::I3, Variant::I4);
    let mut orders: Vec<usize> = study.rows.iter().map(|row| row.n).collect();
    orders.dedup();
    let above = || orders.iter().filter(|n| **n > CROSSING);
    let below = || orders.iter().filter(|n| (SMALLEST..CROSSING).contains(*n));
    let winners = |pair: Pair, orders: &mut dyn Iterator<Item = &usize>| -> Vec<Winner> {
        orders.map(|n| pair.winner(study, *n)).collect()
    };
    let host = [winners(SINGLE, &mut above()), winners(VECTOR, &mut above())].concat();
    // With vectors the paper's own table has the host ahead up to N = 128, so that these do not count.
    let fragment = winners(SINGLE, &mut below());
    let refuted = host.contains(&Winner::Fragment) || fragment.contains(&Winner::Host);
    let (holds, why) = if refuted {
        (Some(false), "")
    } else if host.is_empty() {
        (None, "; nothing above 512 was measured")
    } else if fragment.is_empty() {
        (None, "; nothing from 32 to 511 was measured")
    } else if host.contains(&Winner::Neither) || fragment.contains(&Winner::Neither) {
        (None, "; where neither is faster, runs differ more than the variants")
    } else {
        (Some(true), "")
    };
    Finding {
        paper: "branching is a trade-off: above N = 512 the host should do it, below it the GPU",
        here: format!(
            "without vectors {}; with vectors {}{why}",
            SINGLE.told(study, &orders),
            VECTOR.told(study, &orders)
        ),
        holds,
    }
}

/// Two variants, of which the host decides in the first and the fragment in the second.
#[derive(Clone, Copy)]
struct Pair(Variant, Variant);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Winner {
    Host,
    Fragment,
    Neither,
}

impl Pair {
    /// Whose slowest run is faster than the other's fastest.
    fn winner(self, study: &Study, n: usize) -> Winner {
        let span = |variant| at(study, variant, Handover::PingPong, n).map(|row| row.total_span);
        match (span(self.0), span(self.1)) {
            (Some(host), Some(fragment)) if host[1] < fragment[0] => Winner::Host,
            (Some(host), Some(fragment)) if fragment[1] < host[0] => Winner::Fragment,
            _ => Winner::Neither,
        }
    }

    fn told(self, study: &Study, orders: &[usize]) -> String {
        let told = |(who, winner)| {
            let orders = orders.iter().filter(|n| self.winner(study, **n) == winner);
            let orders: Vec<String> = orders.map(ToString::to_string).collect();
            (!orders.is_empty()).then(|| format!("{who} is faster at N = {}", orders.join(", ")))
        };
        let winners = [
            ("the host", Winner::Host),
            ("the GPU", Winner::Fragment),
            ("neither", Winner::Neither),
        ];
        let told: Vec<String> = winners.into_iter().filter_map(told).collect();
        format!("({} against {}) {}", self.0, self.1, told.join(", "))
    }
}

/// The best speed against the peak, and the time that its references need at the cache's bandwidth: the paper had 73 % and
/// 75 % of that. Caches are what is short where they take the larger part of the time.
fn efficiency(study: &Study) -> Finding {
    /// The smaller of the orders at which the paper's devices were at their best.
    const LARGE: usize = 1024;
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
    let referenced = best.counts.referenced_bytes as f64 / study.seconds(best);
    let of_cache = study.cache.map(|bandwidth| referenced / bandwidth);
    let cache = match (study.cache, of_cache) {
        (Some(bandwidth), Some(of_cache)) => {
            let percent = 100.0 * of_cache;
            format!(
                ", {percent:.1} % of the {:.1} that its first cache gives",
                1e-9 * bandwidth
            )
        }
        _ => String::new(),
    };
    let (holds, why) = match of_cache {
        _ if share > 0.3 => (Some(false), ""),
        _ if !study.has_clock() => (
            None,
            "; without a clock of the device, it is not known what the draws alone take",
        ),
        _ if largest(study) < LARGE => (
            None,
            "; the paper is at its best from N = 1024, and that was not measured",
        ),
        None => (None, "; the bandwidth of its caches is not known"),
        Some(of_cache) => (Some(of_cache >= 0.5), ""),
    };
    Finding {
        paper,
        here: format!(
            "{:.3} GFLOP/s at best ({}, {}, N = {}), {:.2} % of {peak:.1}; fragments read {:.2} GB/s{cache}{why}",
            study.gigaflops(best),
            best.variant,
            best.handover,
            best.n,
            100.0 * share,
            1e-9 * referenced
        ),
        holds,
    }
}

/// With the device's own division, at every N above four; and without that, by correcting quotients alone.
fn division(study: &Study) -> Finding {
    let beyond = || study.errors.iter().filter(|errors| errors.n > 4);
    let of = |division| beyond().filter(move |errors| errors.division == division);
    let differing = of(Division::Native).filter(|errors| errors.different > 0).count();
    let orders = of(Division::Native).count();
    let corrected = of(Division::Corrected).all(|errors| errors.different == 0);
    let paper = "the GPU's result is never the CPU's for N > 4, mainly because of division";
    let undecided = |why: &str| Finding {
        paper,
        here: why.to_owned(),
        holds: None,
    };
    if study.is_host {
        return undecided("this is the host itself");
    }
    if orders == 0 {
        return undecided("no N above 4 was measured");
    }
    let why = match (differing, corrected) {
        (0, true) => "",
        (_, true) => "; with corrected quotients alone, it is the host's everywhere",
        (_, false) => "; it differs with corrected quotients too",
    };
    Finding {
        paper,
        here: format!(
            "with the device's own division, the result differs from the host's at {differing} of {orders} N above 4{why}"
        ),
        holds: Some(differing == orders && corrected),
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::Errors;
    use super::*;
    use nonius::lu::fragment::model;

    /// A device that does a draw's operations at 1 GFLOP/s, of 100 that it has at most.
    fn study(orders: &[usize]) -> Study {
        let plans = || {
            Variant::ALL
                .into_iter()
                .flat_map(|variant| Handover::ALL.map(|handover| (variant, handover)))
        };
        let row = |n: usize, (variant, handover)| {
            let counts = model::counts(variant, handover, u32::try_from(n).expect("small"), 4);
            let total = 2e-9 * (n * (n * n - 1) / 3) as f64;
            Row {
                variant,
                handover,
                n,
                total,
                total_span: [total, total],
                gpu: Some(total),
                cpu: total,
                copy: Some(0.0),
                counts,
                model: counts,
                different: 0,
            }
        };
        Study {
            is_host: false,
            runs: 1,
            division: Division::Native,
            rows: orders.iter().flat_map(|n| plans().map(|plan| row(*n, plan))).collect(),
            errors: Vec::new(),
            ulps: Vec::new(),
            multiply_adds: 50e9,
            cache: Some(100e9),
        }
    }

    /// Multiplies times of rows.
    fn times(study: &mut Study, factor: impl Fn(&Row) -> f64) {
        for row in &mut study.rows {
            let factor = factor(row);
            row.total *= factor;
            row.total_span = row.total_span.map(|total| total * factor);
        }
    }

    fn copied(factor: f64) -> impl Fn(&Row) -> f64 {
        move |row| if row.handover == Handover::Copy { factor } else { 1.0 }
    }

    #[test]
    fn half_the_time_is_judged_where_the_paper_has_it() {
        for (n, factor, expected) in [(2048, 2.1, Some(true)), (2048, 1.9, Some(false)), (1024, 3.0, None)] {
            let mut study = study(&[32, n]);
            times(&mut study, copied(factor));
            let finding = handover(&study);
            assert_eq!(finding.holds, expected, "{}", finding.here);
            assert_eq!(
                finding.here.contains("not measured"),
                expected.is_none(),
                "{}",
                finding.here
            );
        }
        // Some runs say so, and others do not.
        let mut study = study(&[2048]);
        times(&mut study, copied(2.1));
        study.rows.iter_mut().for_each(|row| row.total_span[0] *= 0.9);
        let finding = handover(&study);
        assert!(
            finding.holds.is_none() && finding.here.contains("differ too much"),
            "{}",
            finding.here
        );
    }

    /// Times of I2 and I4 so many times those of I1 and I3, below and above 512.
    fn branched(orders: &[usize], [single, vector]: [[f64; 2]; 2]) -> Finding {
        let mut study = study(orders);
        times(&mut study, |row| {
            let side = usize::from(row.n > 512);
            match row.variant {
                Variant::I2 => single[side],
                Variant::I4 => vector[side],
                _ => 1.0,
            }
        });
        branches(&study)
    }

    #[test]
    fn both_halves_of_the_trade_off_are_needed() {
        let as_found = [[0.9, 1.1], [1.1, 1.1]];
        assert_eq!(branched(&[256, 512, 1024], as_found).holds, Some(true));
        for (orders, missing) in [
            (&[32, 256][..], "above 512"),
            (&[512], "above 512"),
            (&[8, 512, 1024, 2048], "from 32 to 511"),
        ] {
            let finding = branched(orders, as_found);
            assert_eq!(finding.holds, None, "{orders:?}");
            assert!(
                finding.here.contains(&format!("nothing {missing} was measured")),
                "{}",
                finding.here
            );
        }
        for against in [
            [[1.1, 1.1], [1.1, 1.1]],
            [[0.9, 0.9], [1.1, 1.1]],
            [[0.9, 1.1], [1.1, 0.9]],
        ] {
            assert_eq!(branched(&[256, 1024], against).holds, Some(false), "{against:?}");
        }
        let finding = branched(&[256, 1024], [[0.9, 1.0], [1.1, 1.1]]);
        assert!(
            finding.holds.is_none() && finding.here.contains("runs differ"),
            "{}",
            finding.here
        );
    }

    #[test]
    fn caches_are_judged_by_their_bandwidth() {
        let holds = |change: &dyn Fn(&mut Study)| {
            let mut study = study(&[256, 1024]);
            change(&mut study);
            efficiency(&study).holds
        };
        // I1 reads 12 bytes for two operations: 6 GB/s.
        assert_eq!(holds(&|study| study.cache = Some(8e9)), Some(true));
        assert_eq!(holds(&|study| study.cache = Some(100e9)), Some(false));
        assert_eq!(holds(&|study| study.multiply_adds = 1.5e9), Some(false));
        assert_eq!(holds(&|study| study.cache = None), None);
        assert_eq!(holds(&|study| study.rows[0].gpu = None), None);
        assert_eq!(holds(&|study| study.rows.retain(|row| row.n < 1024)), None);
        assert_eq!(holds(&|study| study.rows.clear()), None);
    }

    #[test]
    fn division_is_judged_at_every_n_above_four() {
        let holds = |found: &[(usize, usize, usize)], is_host| {
            let mut study = study(&[5]);
            study.is_host = is_host;
            study.errors.extend(found.iter().flat_map(|(n, native, corrected)| {
                [(Division::Native, native), (Division::Corrected, corrected)].map(|(division, different)| Errors {
                    n: *n,
                    division,
                    different: *different,
                    same_as_native: false,
                    split: None,
                })
            }));
            division(&study).holds
        };
        assert_eq!(holds(&[(4, 0, 0), (8, 3, 0), (16, 9, 0)], false), Some(true));
        assert_eq!(holds(&[(8, 0, 0), (16, 9, 0)], false), Some(false));
        assert_eq!(holds(&[(8, 3, 0), (16, 9, 2)], false), Some(false));
        assert_eq!(holds(&[(4, 1, 0)], false), None);
        assert_eq!(holds(&[(8, 0, 0)], true), None);
    }
}
