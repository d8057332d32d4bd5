//! Every array that a device lays out, number for number what the host makes of the same matrix and uploads.

use super::super::matrix::layout::Layout as _;
use super::super::spmv::schedule::Schedule;
use super::super::{Csr, DeviceMatrix, generate};
use super::*;
use crate::device::{AdapterKind, Ground};
use crate::{Blocking as _, Device, Error, Select};

/// All generators, and edges: empty rows and windows, dense rows, runs of every kind, slices that rows do not fill.
fn matrices() -> Vec<(String, Csr<f32>)> {
    let mut all: Vec<(String, Csr<f64>)> = generate::NAMES
        .iter()
        .flat_map(|name| {
            let name = name.split(':').next().unwrap_or(name);
            [1, 2, 5].map(|size| format!("{name}:{size}"))
        })
        .map(|name| {
            let a = generate::by_name(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, a)
        })
        .collect();
    for name in ["arrow:300", "banded:700", "r-mat:9", "stencil27:11", "elasticity:6"] {
        all.push((name.to_owned(), generate::by_name(name).expect("a generator")));
    }
    let rows = |rows: usize, cols: usize, columns: &dyn Fn(usize) -> Vec<usize>| {
        Csr::from_rows(rows, cols, |row, into| {
            into.extend(columns(row).into_iter().map(|column| (column, 1.0)));
        })
        .expect("ascending")
    };
    all.extend([
        ("no rows".to_owned(), rows(0, 5, &|_| vec![])),
        ("no columns".to_owned(), rows(5, 0, &|_| vec![])),
        ("no entries".to_owned(), rows(700, 7, &|_| vec![])),
        ("one entry".to_owned(), rows(1, 1, &|_| vec![0])),
        (
            "one row of many".to_owned(),
            rows(600, 40, &|row| if row == 599 { vec![3, 4, 39] } else { vec![] }),
        ),
        (
            "a dense row".to_owned(),
            rows(2000, 999, &|row| (0..if row == 77 { 999 } else { row % 3 }).collect()),
        ),
        (
            "every third row empty".to_owned(),
            rows(1500, 300, &|row| {
                (0..300)
                    .filter(|column| row % 3 > 0 && (column * 5 + row) % 17 < row % 9)
                    .collect()
            }),
        ),
        (
            "isolated entries".to_owned(),
            rows(65, 200, &|row| (0..row).map(|k| 2 * k).collect()),
        ),
        (
            // No bits are left for the length: a descriptor an entry.
            "columns of 32 bits".to_owned(),
            rows(3, u32::MAX as usize, &|row| {
                vec![row, 5, 6, 7, 1 << 31, u32::MAX as usize - 1]
            }),
        ),
        (
            // As long as one invocation goes over, on a driver that computes on the CPU and elsewhere.
            "rows of isolated entries".to_owned(),
            rows(2, 1 << 17, &|row| (row..65_535 / 34).map(|k| 3 * k).collect()),
        ),
        (
            "rows of runs, no two of which end in one column".to_owned(),
            rows(32, 1 << 17, &|row| {
                (0..65_535 / 34).map(|k| k + (k + 60 * row) / (65_535 / 34)).collect()
            }),
        ),
        (
            "a row that the host has to lay out".to_owned(),
            rows(2, 1 << 17, &|row| (row..1 << 16).map(|k| 2 * k).collect()),
        ),
        (
            // 32 − 22 bits are left for the length.
            "runs that descriptors split".to_owned(),
            rows(3, 1 << 21, &|row| {
                (row * 7..row * 7 + 1900).filter(|column| column % 1500 != 10).collect()
            }),
        ),
    ]);
    all.into_iter().map(|(name, a)| (name, a.map(f32::from_f64))).collect()
}

const FORMATS: [Format; 8] = [
    Format::Ell,
    Format::EllR,
    Format::Sell,
    Format::RbpCsr,
    Format::RbpEll,
    Format::RbpEllR,
    Format::PackedCsr,
    Format::PackedSell,
];

/// What the host gives a device of a format.
fn expected(csr: &CsrPattern, format: Format, target: Target) -> Result<(Vec<Vec<u32>>, String, u64)> {
    fn of<P: Pattern>(csr: &CsrPattern, target: Target) -> Result<(Vec<Vec<u32>>, String, u64)> {
        let pattern = P::from_csr(csr)?;
        let on_device = pattern.on_device(Schedule::Auto, target)?;
        let told = format!(
            "{} {:?} {:?} {:?} {}",
            on_device.form.product.name,
            on_device.numbers,
            on_device.constants,
            on_device.tunable.map(|tuned| tuned.tunable.name),
            pattern.slots(),
        );
        let arrays = on_device.arrays.iter().map(|(_, array)| array.to_vec()).collect();
        Ok((arrays, told, pattern.index_bytes()))
    }
    match format {
        Format::Ell => of::<EllPattern>(csr, target),
        Format::EllR => of::<EllRPattern>(csr, target),
        Format::Sell => of::<SellPattern>(csr, target),
        Format::RbpCsr => of::<RbpCsrPattern>(csr, target),
        Format::RbpEll => of::<RbpEllPattern>(csr, target),
        Format::RbpEllR => of::<RbpEllRPattern>(csr, target),
        Format::PackedCsr => of::<PackedCsrPattern>(csr, target),
        Format::PackedSell => of::<PackedSellPattern>(csr, target),
        other => panic!("{other} is laid out by the host"),
    }
}

fn devices() -> Vec<Device> {
    let adapters = Device::list().block_on().into_iter();
    let devices: Vec<Device> = adapters
        .filter_map(|adapter| {
            let select = Select::Index(adapter.index?);
            Some(
                Device::open(select)
                    .block_on()
                    .unwrap_or_else(|error| panic!("{error}")),
            )
        })
        .collect();
    let required = std::env::var("NONIUS_REQUIRE_GPU").is_ok_and(|value| value == "1");
    assert!(!required || !devices.is_empty(), "there is no GPU adapter");
    devices
}

#[test]
fn arrays_are_the_hosts() -> Result<()> {
    for device in devices() {
        let Ground::Gpu(gpu) = device.ground() else { continue };
        let target = Target::of::<f32>(&device);
        let mut laid_there = 0;
        for (name, a) in matrices() {
            let csr = a.pattern();
            let there = OnGpu::new(gpu, csr.on_device(Schedule::Auto, target)?, a.values())?;
            for format in FORMATS {
                let what = format!("{name} as {format} on {}", device.name());
                let made = lay_out::<f32>(gpu, &there, csr, format, target).block_on()?;
                let streamed = format == Format::PackedCsr && packed::is_streamed(csr, target)?;
                let sorted = is_sorted_further(csr, format, target);
                let by_the_host = csr.nnz() == 0 || streamed || sorted || csr.longest() > MOST_ENTRIES;
                assert_eq!(made.is_none(), by_the_host, "{what}");
                let Some(made) = made else { continue };
                laid_there += 1;
                let (arrays, told, index_bytes) = expected(csr, format, target)?;
                let Laid {
                    form,
                    arrays: found,
                    numbers,
                    constants,
                    rows,
                    tunable,
                    slots,
                    bytes,
                } = &made.laid;
                let tunable = tunable.map(|tuned| tuned.tunable.name);
                let name = form.product.name;
                assert_eq!(
                    format!("{name} {numbers:?} {constants:?} {tunable:?} {slots}"),
                    told,
                    "{what}"
                );
                assert_eq!((*rows, made.index_bytes), (csr.rows(), index_bytes), "{what}");
                assert_eq!(
                    *bytes,
                    arrays.iter().map(|array| 4 * array.len() as u64).sum::<u64>(),
                    "{what}"
                );
                assert_eq!(found.len(), arrays.len(), "{what}");
                for (at, (found, expected)) in found.iter().zip(&arrays).enumerate() {
                    let found = gpu.download(found, 0, 4 * expected.len() as u64).block_on()?;
                    let found: Vec<u32> = bytemuck::pod_collect_to_vec(&found);
                    let wrong = found
                        .iter()
                        .zip(expected)
                        .position(|(found, expected)| found != expected);
                    let shown = wrong.map(|wrong| (wrong, found[wrong], expected[wrong]));
                    assert_eq!(shown, None, "array {at} of {what}: place, found, expected");
                }
                if let Some(places) = &made.places {
                    let found = gpu.download(places, 0, 4 * *slots as u64).block_on()?;
                    let found: Vec<u32> = bytemuck::pod_collect_to_vec(&found);
                    assert!(found == made.pattern.places()?, "the entries of {what}");
                }
            }
        }
        assert!(laid_there > 200, "{laid_there} on {}", device.name());
    }
    Ok(())
}

/// What the device left to the host at first is right when it is asked for, and so is what the host must do at once.
#[test]
fn the_hosts_copy_follows() -> Result<()> {
    let even = generate::stencil27(7, 6, 5)?.map(f32::from_f64);
    for device in devices() {
        // More entries than one invocation goes over to lay a row out, and no more than it can sum.
        let longest = match device.adapter().kind {
            AdapterKind::Software => 30_000,
            _ => 70_000,
        };
        let uneven = Csr::from_rows(3, longest, |row, into| {
            into.extend((0..if row == 1 { longest } else { 1 }).map(|column| (column, 0.5_f32 + column as f32)));
        })?;
        for (a, format) in FORMATS.iter().flat_map(|format| [(&even, *format), (&uneven, *format)]) {
            let mut converted = DeviceMatrix::new(&device, a)?.convert(format).block_on()?;
            assert_eq!(converted.format(), format);
            assert!(converted.values().block_on()? == a.values(), "{format}");
            let doubled: Vec<f32> = a.values().iter().map(|value| 2.0 * value).collect();
            converted.set_values(&doubled)?;
            assert!(converted.values().block_on()? == doubled, "{format}");
            let again = converted.convert(Format::Csr).block_on()?;
            assert!(again.values().block_on()? == doubled, "{format}");
            let error = converted.set_values(&doubled[1..]);
            assert!(matches!(error, Err(Error::Shape { .. })), "{format}: {error:?}");
        }
    }
    Ok(())
}
