//! `nonius doctor`: every device, and what its arithmetic is really like.

use nonius::device::arithmetic::{FloatReport, Trial};
use nonius::{Blocking, Dd, Device, Result, Select};
use serde_json::{Value, json};

use crate::print;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What was found on one device.
struct Findings {
    device: Device,
    trials: Vec<Trial>,
    reports: Vec<FloatReport>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let adapters = Device::list().block_on();
    let mut objects = Vec::new();
    for adapter in &adapters {
        let select = adapter.index.map_or(Select::Host, Select::Index);
        let findings = Device::open(select).block_on().and_then(examine);
        match (arguments.json, findings) {
            (true, Ok(findings)) => objects.push(object(&findings)),
            (true, Err(error)) => objects.push(json!({ "name": adapter.name, "error": error.to_string() })),
            (false, Ok(findings)) => show(&findings),
            (false, Err(error)) => println!("{}\n  cannot be used: {error}\n", print::adapter(adapter)),
        }
    }
    if arguments.json {
        println!("{:#}", json!({ "devices": objects }));
    }
    Ok(())
}

fn examine(device: Device) -> Result<Findings> {
    // Dd is measured when it is asked for; the report then says what came of it.
    let _ = device.supports::<Dd>();
    let measured = device.measure_arithmetic().block_on()?;
    let (trials, reports) = measured.unwrap_or_default();
    Ok(Findings {
        device,
        trials,
        reports,
    })
}

fn show(findings: &Findings) {
    let adapter = findings.device.adapter();
    match adapter.index {
        Some(index) => println!("{index}: {}", print::adapter(adapter)),
        None => println!("{}", print::adapter(adapter)),
    }
    let Some(arithmetic) = findings.device.arithmetic() else {
        println!("  every scalar, IEEE 754 arithmetic, correctly rounded\n");
        return;
    };
    println!("  limits");
    for (name, value) in &adapter.limits {
        println!("    {name:<36} {value}");
    }
    let features: Vec<_> = adapter
        .features
        .iter()
        .map(|(name, has)| format!("{name} {}", yes(*has)))
        .collect();
    println!("  features\n    {}", features.join(", "));
    match findings.device.workgroups_at_once() {
        1 => println!("  workgroups that run at once: not measured"),
        count => println!("  workgroups that were seen to run at once: {count}"),
    }
    println!("  scalars (self-test of {})", print::seconds(arithmetic.seconds));
    for choice in arithmetic.choices() {
        match &choice.version {
            Ok(version) if choice.scalar.words() == 2 => println!("    {:<5} {version}", choice.scalar.name()),
            Ok(_) => println!("    {:<5} as the device has it", choice.scalar.name()),
            Err(reason) => println!("    {:<5} refused: {reason}", choice.scalar.name()),
        }
    }
    println!(
        "  error-free transforms: wrong of {} pairs",
        findings.trials.first().map_or(0, |trial| trial.pairs)
    );
    println!(
        "    {:<5} {:<15} {:>9} {:>9} {:>9} {:>9}",
        "", "", "two_sum", "fma", "mask", "lifted"
    );
    for trial in &findings.trials {
        let name = trial.scalar.name();
        let words = trial.words.to_string();
        match &trial.outcome {
            Ok(wrong) => println!(
                "    {name:<5} {words:<15} {:>9} {:>9} {:>9} {:>9}",
                wrong.two_sum, wrong.fma, wrong.mask, wrong.lifted
            ),
            Err(reason) => println!("    {name:<5} {words:<15} {reason}"),
        }
    }
    for report in &findings.reports {
        println!("  {} operations: error in units in the last place", report.word);
        for range in &report.ulps {
            println!(
                "    {:<5} [{:.5}, {:.5}]{}",
                range.operation,
                range.low,
                range.high,
                match range.operation {
                    _ if range.is_correctly_rounded() => "  correctly rounded",
                    "fma" => "  not fused: where c cancels the rounded ab, nothing is left of ab + c",
                    _ => "",
                }
            );
        }
        for special in &report.special {
            println!("    {:<30} {}", special.property, yes(special.holds));
        }
    }
    println!();
}

fn yes(has: bool) -> &'static str {
    if has { "yes" } else { "no" }
}

fn object(findings: &Findings) -> Value {
    let adapter = findings.device.adapter();
    let mut object = json!({
        "index": adapter.index,
        "name": adapter.name,
        "kind": adapter.kind.to_string(),
        "backend": adapter.backend,
        "driver": adapter.driver,
        "limits": adapter.limits.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<serde_json::Map<_, _>>(),
        "features": adapter.features.iter().map(|(name, has)| ((*name).to_owned(), json!(has))).collect::<serde_json::Map<_, _>>(),
    });
    let Some(arithmetic) = findings.device.arithmetic() else {
        return object;
    };
    let scalars = arithmetic.choices().map(|choice| {
        let value = match &choice.version {
            Ok(version) if choice.scalar.words() == 2 => {
                json!({ "words": version.words.to_string(), "product": version.product.to_string() })
            }
            Ok(_) => json!({ "words": "native" }),
            Err(reason) => json!({ "refused": reason }),
        };
        (choice.scalar.name().to_owned(), value)
    });
    object["scalars"] = scalars.collect::<serde_json::Map<_, _>>().into();
    object["workgroups_at_once"] = json!(findings.device.workgroups_at_once());
    object["self_test_seconds"] = print::number(arithmetic.seconds);
    let trials = findings.trials.iter().map(|trial| {
        let wrong = match &trial.outcome {
            Ok(wrong) => {
                json!({ "two_sum": wrong.two_sum, "fma": wrong.fma, "mask": wrong.mask, "lifted": wrong.lifted })
            }
            Err(reason) => json!({ "refused": reason }),
        };
        json!({ "scalar": trial.scalar.name(), "words": trial.words.to_string(), "pairs": trial.pairs, "wrong": wrong })
    });
    object["error_free_transforms"] = trials.collect();
    let reports = findings.reports.iter().map(|report| {
        let ulps = report.ulps.iter().map(|range| {
            (
                range.operation.to_owned(),
                json!([print::number(range.low), print::number(range.high)]),
            )
        });
        let special = report
            .special
            .iter()
            .map(|special| (special.property.to_owned(), json!(special.holds)));
        let report_object = json!({
            "ulps": ulps.collect::<serde_json::Map<_, _>>(),
            "special_values": special.collect::<serde_json::Map<_, _>>(),
        });
        (report.word.to_owned(), report_object)
    });
    object["operations"] = reports.collect::<serde_json::Map<_, _>>().into();
    object
}
