//! `nonius lu-study`: the first study of LU on a GPU (Matsui, Ino, Hagihara 2005), repeated on the devices of today.

mod findings;
mod measure;
mod report;

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use nonius::lu::fragment::{Handover, Variant};
use nonius::{Blocking, Device, Error, Result, Select};

use crate::bench::runs;
use crate::picture::Picture;
use crate::print;
use crate::progress::Progress;
use measure::Study;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Orders: one, several with commas, or A..B, which doubles from A to B; 32..2048 by default, and 32..256 where a CPU
    /// computes.
    #[arg(long, value_name = "N|A..B")]
    n: Option<Orders>,
    /// A part of an adapter's name, its index, or host.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Timed runs of which the median is taken.
    #[arg(long, default_value_t = 3, value_parser = runs)]
    runs: usize,
    /// Where the figure is written; by default where the device's tuning is kept (the host has none).
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Orders of matrices, none of them zero, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Orders(Vec<usize>);

impl FromStr for Orders {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let order = |text: &str| match text.trim().parse() {
            Ok(0) => Err("a matrix of order 0 takes no time".to_owned()),
            Ok(order) => Ok(order),
            Err(_) => Err(format!("{text:?} is not an order, such as 64, 32,64 or 32..2048")),
        };
        let mut orders = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                None => orders.push(order(part)?),
                Some((first, last)) => {
                    let (first, last): (usize, usize) = (order(first)?, order(last)?);
                    if first > last {
                        return Err(format!("{part:?} goes down"));
                    }
                    let doubled = std::iter::successors(Some(first), |n| n.checked_mul(2));
                    orders.extend(doubled.take_while(|n| *n <= last));
                }
            }
        }
        orders.sort_unstable();
        orders.dedup();
        Ok(Self(orders))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let device = Device::open(arguments.device.clone().unwrap_or_default()).block_on()?;
    let orders = match &arguments.n {
        Some(Orders(orders)) => orders.clone(),
        None => {
            let largest = if crate::bench::is_hardware(&device) { 2048 } else { 256 };
            (5..12).map(|k| 1 << k).filter(|n| *n <= largest).collect()
        }
    };
    if !arguments.json {
        println!("device     {}", print::adapter(device.adapter()));
    }
    let mut progress = Progress::new(!arguments.json);
    let study = Study::of(&device, &orders, arguments.runs, &mut progress);
    progress.finish();
    let study = study?;
    let pictures = match arguments.folder(&device) {
        Some(folder) => draw(&folder, &device, &study)?,
        None => Vec::new(),
    };
    if arguments.json {
        println!("{:#}", report::object(&device, &study, &pictures));
    } else {
        report::show(&study, &pictures);
    }
    Ok(())
}

impl Arguments {
    fn folder(&self, device: &Device) -> Option<PathBuf> {
        let kept = || Some(device.tuning().file()?.parent()?.to_owned());
        self.pictures.clone().or_else(kept)
    }
}

/// The paper's figure 6: a picture for each handover.
fn draw(folder: &Path, device: &Device, study: &Study) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(folder).map_err(|error| Error::File {
        path: folder.to_owned(),
        reason: error.to_string(),
    })?;
    let mut written = Vec::new();
    for handover in Handover::ALL {
        let curve = |variant: Variant| {
            let of = study.rows(variant, handover);
            #[expect(clippy::cast_precision_loss, reason = "an order")]
            let points = of.map(|row| (row.n as f64, study.gigaflops(row)));
            (variant.to_string(), points.collect())
        };
        let picture = Picture {
            title: format!("LU without pivoting, f32, {handover}"),
            subtitle: format!("{}; 2N(N² − 1)/3 operations over {}", device.name(), study.clock()),
            x: "N".to_owned(),
            unit: "GFLOP/s".to_owned(),
            curves: Variant::ALL.map(curve).into(),
            ..Picture::default()
        };
        let name = format!("lu-study {handover} {}", device.name());
        let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        written.extend(picture.write(&folder.join(words.join("-")))?);
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read() {
        let orders = |text: &str| text.parse::<Orders>().map(|orders| orders.0);
        assert_eq!(orders("32..2048"), Ok(vec![32, 64, 128, 256, 512, 1024, 2048]));
        assert_eq!(orders("3..13"), Ok(vec![3, 6, 12]));
        assert_eq!(orders("64"), Ok(vec![64]));
        assert_eq!(orders("64, 32,8..16,64"), Ok(vec![8, 16, 32, 64]));
        assert_eq!(orders("1..1"), Ok(vec![1]));
        let last = format!("{0}..{0}", usize::MAX);
        assert_eq!(orders(&last), Ok(vec![usize::MAX]));
        for wrong in ["", "0", "8..4", "a", "4..", "..4", "-1", "1,,2", "0..8"] {
            assert!(orders(wrong).is_err(), "{wrong:?}");
        }
    }
}
