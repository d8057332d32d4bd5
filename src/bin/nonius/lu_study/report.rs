//! The study as tables, in the paper's order, and as one JSON object.

use std::path::PathBuf;

use nonius::Device;
use nonius::lu::fragment::error_growth::{Split, exponent};
use nonius::lu::fragment::{Division, Handover, Variant};
use serde_json::{Map, Value, json};

use super::findings;
use super::measure::{Errors, LARGEST, Row, Study};
use crate::print;

const TOTAL: &str = "host's clock, from the first draw recorded until the last was known to be done";
const GPU: &str = "device's clock, over the draws alone, issued without the copies";
const CPU: &str =
    "host's clock, from the first draw recorded until the last was handed to the driver; the device works meanwhile";
const COPY: &str = "device's clock, over the copies alone, issued without the draws; 0 where buffers are exchanged";

const ULP: &str = "the least and the greatest (found - exact) of 65,536 pairs of operands, in units of the exact result's \
                   last place";
const FMA: &str = "in half of the operands of fma(a, b, c), c cancels the rounded ab: a device that rounds ab first loses \
                   all of such a result, 2^24 units. Elimination here has no fma";
const ULP_OF_HOST: &str = "not measured: the host's arithmetic is that of IEEE 754, by the language";

/// Table 1 of the paper: variant, passes, weight, copies, bytes copied, bytes referenced and operations, as formulas of a
/// texel of 16 bytes.
const TABLE_1: [[&str; 7]; 4] = [
    ["I1", "2N", "1", "2N", "32N(N²-1)/3", "8N(2N²-N-1)", "2N(N²-1)/3"],
    ["I2", "N", "1", "N", "16N(N²-1)/3", "64N(N²-1)/3", "4N(N²-1)/3"],
    ["I3", "8N", "1/4", "2N", "2N(4N²+3N-4)/3", "N(4N²+7N+4)", "2N(N²-1)/3"],
    ["I4", "4N", "1/4", "2N", "2N(4N²+3N-4)/3", "N(4N²+7N+4)", "2N(N²-1)/3"],
];

/// Table 5 of the paper: Quadro FX 3400.
const QUADRO: [(&str, [f64; 2]); 4] = [
    ("*", [-0.78125, 0.625]),
    ("/", [-1.19902, 1.37442]),
    ("-", [-0.75, 0.75]),
    ("+", [-1.0, 0.0]),
];

pub(super) fn show(study: &Study, pictures: &[PathBuf]) {
    println!(
        "division   {}",
        match study.division {
            Division::Native => "the device's own: it is correctly rounded",
            Division::Corrected => "corrected: the device's own is not correctly rounded",
        }
    );
    show_model(study);
    show_times(study);
    show_speeds(study, pictures);
    show_ulps(study);
    show_errors(study);
    println!("\nThe findings of 2005, on this device");
    for (finding, number) in findings::all(study).iter().zip(1..) {
        let holds = match finding.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "not decided",
        };
        println!("  {number}. {}: {holds}", finding.paper);
        println!("     {}", finding.here);
    }
}

fn show_model(study: &Study) {
    println!("\nTable 1 and 2: what the variants cost (bytes of 16 to a texel, as in 2005)");
    println!(
        "  {:<4}{:>7}{:>8}{:>8}{:>17}{:>15}{:>13}",
        "", "passes", "weight", "copies", "copied", "referenced", "flops"
    );
    for [variant, passes, weight, copies, copied, referenced, flops] in TABLE_1 {
        println!("  {variant:<4}{passes:>7}{weight:>8}{copies:>8}{copied:>17}{referenced:>15}{flops:>13}");
    }
    let Some(n) = study.rows.iter().map(|row| row.n).max() else {
        return;
    };
    println!("  counted at N = {n}; in brackets, as bytes of 2005");
    println!(
        "  {:<14}{:>9}{:>9}{:>32}{:>34}{:>18}",
        "", "passes", "copies", "copied bytes", "referenced bytes", "flops"
    );
    for row in study.rows.iter().filter(|row| row.n == n) {
        let (here, then) = (row.counts, row.counts.of_2005(row.variant));
        let both = |here: u64, then: u64| format!("{here} [{then}]");
        println!(
            "  {:<14}{:>9}{:>9}{:>32}{:>34}{:>18}",
            format!("{} {}", row.variant, row.handover),
            here.passes,
            here.copies,
            both(here.copied_bytes, then.copied_bytes),
            both(here.referenced_bytes, then.referenced_bytes),
            here.flops
        );
    }
    let agree = study.rows.iter().all(|row| row.counts == row.model);
    println!(
        "  what was counted {} the model at every N",
        if agree { "is" } else { "IS NOT" }
    );
}

fn show_times(study: &Study) {
    println!("\nTable 4: milliseconds (median of {})", study.runs);
    println!("  A total: {TOTAL}\n  G GPU:   {GPU}\n  C CPU:   {CPU}\n  T copy:  {COPY}");
    if study.rows.iter().any(|row| row.gpu.is_none() || row.copy.is_none()) {
        println!("  -        the device has no clock, or one that cannot be believed");
    }
    println!("  =        every element is the host's, bit for bit; else how many are not");
    for handover in Handover::ALL {
        let titles = Variant::ALL.map(|variant| {
            format!(
                "{:>9}{:>10}{:>10}{:>10}{:>4}",
                format!("{variant} A"),
                "G",
                "C",
                "T",
                ""
            )
        });
        println!("  {handover}\n  {:<6}{}", "N", titles.concat());
        let mut orders: Vec<usize> = study.rows.iter().map(|row| row.n).collect();
        orders.dedup();
        for n in orders {
            let rows = study.rows.iter().filter(|row| row.n == n && row.handover == handover);
            let cells = rows.map(|row| {
                let equal = if row.different == 0 {
                    "=".to_owned()
                } else {
                    row.different.to_string()
                };
                let time = |seconds: Option<f64>| seconds.map_or("-".to_owned(), |s| format!("{:.3}", 1e3 * s));
                format!(
                    "{:>9}{:>10}{:>10}{:>10}{equal:>4}",
                    time(Some(row.total)),
                    time(row.gpu),
                    time(Some(row.cpu)),
                    time(row.copy)
                )
            });
            println!("  {n:<6}{}", cells.collect::<String>());
        }
    }
}

fn show_speeds(study: &Study, pictures: &[PathBuf]) {
    println!("\nFigure 6: GFLOP/s, 2N(N²-1)/3 operations over {}", study.clock());
    let plans = Handover::ALL
        .into_iter()
        .flat_map(|handover| Variant::ALL.map(|variant| (variant, handover)));
    let plans: Vec<(Variant, Handover)> = plans.collect();
    let titles = plans
        .iter()
        .map(|(variant, handover)| format!("{:>14}", format!("{variant} {handover}")));
    println!("  {:<6}{}", "N", titles.collect::<String>());
    let mut orders: Vec<usize> = study.rows.iter().map(|row| row.n).collect();
    orders.dedup();
    for n in orders {
        let of = |(variant, handover): &(Variant, Handover)| {
            let row = study.rows(*variant, *handover).find(|row| row.n == n);
            row.map_or(String::new(), |row| format!("{:>14.4}", study.gigaflops(row)))
        };
        println!("  {n:<6}{}", plans.iter().map(of).collect::<String>());
    }
    for picture in pictures {
        println!("  drawn in {}", picture.display());
    }
    if pictures.is_empty() {
        println!("  not drawn: --pictures says where");
    }
}

fn show_ulps(study: &Study) {
    println!("\nTable 5: errors of f32 operations, in units in the last place");
    println!(
        "  {:<4}{:>16}{:>24}{:>24}",
        "", "IEEE 754", "Quadro FX 3400 (2005)", "this device"
    );
    for (operation, [low, high]) in QUADRO {
        let here = study.ulps.iter().find(|range| range.operation == operation);
        let here = here.map_or("-".to_owned(), |range| format!("[{:.5}, {:.5}]", range.low, range.high));
        println!(
            "  {operation:<4}{:>16}{:>24}{here:>24}",
            "[-0.5, 0.5]",
            format!("[{low:.5}, {high:.5}]")
        );
    }
    println!("  {}", if study.is_host { ULP_OF_HOST } else { ULP });
    if let Some(fma) = study.ulps.iter().find(|range| range.operation == "fma") {
        let how = if fma.is_correctly_rounded() {
            "rounds once"
        } else {
            "does not round once"
        };
        println!("  fma {how}: [{:.5}, {:.5}]\n  {FMA}", fma.low, fma.high);
    }
}

fn show_errors(study: &Study) {
    println!("\nGrowth of the error (relative, in the Frobenius norm; factors against those of f64), by its source");
    println!(
        "  {:<6}{:<11}{:>10}  {:>11}{:>11}{:>11}  {:>11}{:>11}{:>11}",
        "N", "division", "not host's", "backward", "division", "updates", "forward", "division", "updates"
    );
    let (same, distinct): (Vec<&Errors>, Vec<&Errors>) = study.errors.iter().partition(|errors| errors.same_as_native);
    for errors in distinct {
        let numbers = |split: Split| format!("{:>11.2e}{:>11.2e}{:>11.2e}", split.total, split.division, split.update);
        let split = match &errors.split {
            Some(split) => format!("{}  {}", numbers(split.backward), numbers(split.forward)),
            None if errors.n > LARGEST => format!("not split: N is above {LARGEST}"),
            None => "not split: an update is not the host's".to_owned(),
        };
        let both = same.iter().any(|corrected| corrected.n == errors.n);
        let division = if both {
            "either".to_owned()
        } else {
            errors.division.to_string()
        };
        println!("  {:<6}{division:<11}{:>10}  {split}", errors.n, errors.different);
    }
    if !same.is_empty() {
        println!("  either: native and corrected division give the same factors, bit for bit");
    }
    let everywhere = 2 * same.len() == study.errors.len();
    let divisions: &[Division] = if everywhere {
        &[Division::Native]
    } else {
        &[Division::Native, Division::Corrected]
    };
    for division in divisions.iter().copied() {
        let name = if everywhere {
            "either".to_owned()
        } else {
            division.to_string()
        };
        if let [Some(total), Some(quotients), Some(updates)] = exponents(study, division) {
            println!(
                "  {name}: the forward error grows as N^{total:.2}, that of divisions as N^{quotients:.2}, of updates as N^{updates:.2}"
            );
        }
    }
}

/// Of the forward error, that of divisions and that of updates.
fn exponents(study: &Study, division: Division) -> [Option<f64>; 3] {
    let of = |part: fn(&Split) -> f64| {
        let errors = study.errors.iter().filter(|errors| errors.division == division);
        let points = errors.filter_map(|errors| Some((errors.n, part(&errors.split.as_ref()?.forward))));
        exponent(&points.filter(|(_, error)| *error > 0.0).collect::<Vec<_>>())
    };
    [
        of(|split| split.total),
        of(|split| split.division),
        of(|split| split.update),
    ]
}

pub(super) fn object(device: &Device, study: &Study, pictures: &[PathBuf]) -> Value {
    let ulps = study.ulps.iter().map(|range| {
        let range_object = json!([print::number(range.low), print::number(range.high)]);
        (range.operation.to_owned(), range_object)
    });
    let quadro = QUADRO.map(|(operation, range)| (operation.to_owned(), json!(range)));
    let table_1 = TABLE_1.map(|[variant, passes, weight, copies, copied, referenced, flops]| {
        json!({
            "variant": variant, "passes": passes, "weight": weight, "copies": copies,
            "copied_bytes": copied, "referenced_bytes": referenced, "flops": flops,
        })
    });
    let findings = findings::all(study);
    let findings = findings
        .iter()
        .map(|finding| json!({ "paper": finding.paper, "here": finding.here, "holds": finding.holds }));
    let growth = [Division::Native, Division::Corrected].map(|division| {
        let [total, quotients, updates] = exponents(study, division);
        let exponents = json!({ "total": total, "division": quotients, "update": updates });
        (division.to_string(), exponents)
    });
    json!({
        "device": device.name(),
        "backend": device.adapter().backend,
        "driver": device.adapter().driver,
        "runs": study.runs,
        "division": study.division.to_string(),
        "measured": { "total_ms": TOTAL, "gpu_ms": GPU, "cpu_ms": CPU, "copy_ms": COPY, "gflops": study.clock() },
        "table_1_of_2005": table_1,
        "variants": study.rows.iter().map(|row| row_object(study, row)).collect::<Value>(),
        "ulp": ulps.collect::<Map<_, _>>(),
        "ulp_means": if study.is_host { json!({ "all": ULP_OF_HOST }) } else { json!({ "all": ULP, "fma": FMA }) },
        "ulp_of_2005": quadro.into_iter().collect::<Map<_, _>>(),
        "findings": findings.collect::<Value>(),
        "errors": study.errors.iter().map(errors_object).collect::<Value>(),
        "error_exponents": growth.into_iter().collect::<Map<_, _>>(),
        "multiply_adds_per_second": print::number(study.multiply_adds),
        "cache_bytes_per_second": study.cache.map(print::number),
        "pictures": pictures.iter().map(|picture| print::path(picture)).collect::<Value>(),
    })
}

fn row_object(study: &Study, row: &Row) -> Value {
    let milliseconds = |seconds: Option<f64>| seconds.map_or(Value::Null, |seconds| print::number(1e3 * seconds));
    let then = row.counts.of_2005(row.variant);
    json!({
        "variant": row.variant.to_string(),
        "handover": row.handover.to_string(),
        "n": row.n,
        "total_ms": milliseconds(Some(row.total)),
        "total_ms_span": row.total_span.map(|total| print::number(1e3 * total)),
        "gpu_ms": milliseconds(row.gpu),
        "cpu_ms": milliseconds(Some(row.cpu)),
        "copy_ms": milliseconds(row.copy),
        "passes": row.counts.passes,
        "copies": row.counts.copies,
        "copied_bytes": row.counts.copied_bytes,
        "flops": row.counts.flops,
        "referenced_bytes": row.counts.referenced_bytes,
        "copied_bytes_of_2005": then.copied_bytes,
        "referenced_bytes_of_2005": then.referenced_bytes,
        "as_modelled": row.counts == row.model,
        "equal": row.different == 0,
        "gflops": print::number(study.gigaflops(row)),
    })
}

fn errors_object(errors: &Errors) -> Value {
    let split = |split: Split| {
        json!({
            "total": print::number(split.total),
            "division": print::number(split.division),
            "update": print::number(split.update),
        })
    };
    json!({
        "n": errors.n,
        "division": errors.division.to_string(),
        "different": errors.different,
        "same_as_native": errors.same_as_native,
        "backward": errors.split.map(|errors| split(errors.backward)),
        "forward": errors.split.map(|errors| split(errors.forward)),
    })
}
