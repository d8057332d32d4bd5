//! Rows that a kernel or a driver treats in a way of its own: long ones, fours of them, more of them than a grid has in a row.

use nonius::device::AdapterKind;
use nonius::sparse::{Csr, DeviceMatrix, Format, PackedCsr, RbpCsr, Schedule, residual, spmm, spmv, spmv_dot};
use nonius::{Blocking as _, Error, Result, Scalar as _};

use crate::spmv::formats;

/// Rows longer than the loops of some drivers on the CPU, which end them without a word: right or refused.
#[test]
fn no_row_is_left_half_summed() {
    const LONG: usize = 300_000;
    /// One entry, so many in one run, and so many isolated: neighbours whose loops come one after the other.
    fn three_rows(run: usize, isolated: usize) -> Result<Csr<f32>> {
        Csr::from_rows(3, LONG, |row, into| match row {
            0 => into.push((0, 1.0)),
            1 => into.extend((0..run).map(|k| (k, 1.0))),
            _ => into.extend((0..isolated).map(|k| (2 * k, 1.0))),
        })
    }
    crate::devices::on_every_device::<f32>(|device| {
        let x = nonius::dense::Vector::from_slice(device, &vec![1.0; LONG])?;
        let by_columns = nonius::dense::Matrix::from_rows(device, LONG, 2, &vec![1.0; 2 * LONG])?;
        let refused = |format: Format, result: Result<()>| match result {
            Err(Error::Shape { expected, .. }) if device.adapter().kind == AdapterKind::Software => {
                let limit = ["65535", "32767"].iter().any(|limit| expected.contains(limit));
                assert!(limit, "{format}: {expected}");
                true
            }
            Err(error) => panic!("{format}: {error}"),
            Ok(()) => false,
        };
        for (run, isolated) in [(LONG, 1), (60_000, 60_000), (32_700, 32_700), (32_768, 32_768)] {
            let a = three_rows(run, isolated)?;
            // Exact in f32, in any order.
            let sums = [1.0, run as f32, isolated as f32];
            for format in formats() {
                let there = match DeviceMatrix::from_csr(device, &a, format) {
                    Ok(there) => there,
                    Err(error) => {
                        // As CSR it is split.
                        assert!(refused(format, Err(error)) && format != Format::Csr);
                        continue;
                    }
                };
                let mut y = nonius::dense::Vector::<f32>::zeros(device, 3)?;
                spmv(1.0, &there, &x, 0.0, &mut y)?;
                assert_eq!(y.to_host().block_on()?, sums, "{format}, {run}, {isolated}");
                let mut y = nonius::dense::Matrix::<f32>::zeros(device, 3, 2)?;
                if !refused(format, spmm(1.0, &there, &by_columns, 0.0, &mut y)) {
                    let both: Vec<f32> = sums.iter().flat_map(|sum| [*sum; 2]).collect();
                    assert_eq!(
                        y.to_host().block_on()?,
                        both,
                        "{format}, {run}, {isolated}, two columns"
                    );
                }
            }
        }
        // Rows of four at once, each with its long run where no other has one: they wait for it one after the other.
        let a = Csr::from_rows(64, LONG, |row, into| {
            let (before, four) = (3 * (row / 4), row / 4);
            into.extend((0..four).map(|k| (2 * k, 1.0)));
            into.extend((0..9000).map(|k| (before + 100 + k, 1.0)));
            into.extend((four..16).map(|k| (20_000 + 2 * k, 1.0)));
        })?;
        for format in formats() {
            let there = DeviceMatrix::from_csr(device, &a, format)?;
            let mut y = nonius::dense::Vector::<f32>::zeros(device, 64)?;
            spmv(1.0, &there, &x, 0.0, &mut y)?;
            assert_eq!(y.to_host().block_on()?, [9016.0; 64], "{format}, long runs in turns");
        }
        // Rows of four at once, in two columns or in four: one loop after the other. By fours, and too long for both loops.
        for long in [21_800, 40_000] {
            let a = Csr::from_rows(16, LONG, |row, into| {
                let apart = if row / 4 % 2 == 0 { row % 4 } else { row % 4 / 2 };
                into.extend((0..long).map(|k| (4 * k + apart, 1.0)));
            })?;
            for format in formats() {
                let there = match DeviceMatrix::from_csr(device, &a, format) {
                    Ok(there) => there,
                    Err(error) => {
                        assert!(refused(format, Err(error)) && long > 32_767, "{format}, {long}");
                        continue;
                    }
                };
                let mut y = nonius::dense::Vector::<f32>::zeros(device, 16)?;
                spmv(1.0, &there, &x, 0.0, &mut y)?;
                assert_eq!(y.to_host().block_on()?, [long as f32; 16], "{format}, rows of {long}");
            }
        }
        Ok(())
    });
}

/// Lanes go through all runs of a row, however many they are: of so many short ones, right or refused.
#[test]
fn no_run_is_left_out_by_lanes() {
    const RUNS: usize = 400_000;
    crate::devices::on_every_device::<f32>(|device| {
        let a = Csr::from_rows(2, 3 * RUNS, |row, into| match row {
            0 => into.push((0, 1.0)),
            _ => into.extend((0..RUNS).flat_map(|run| [(3 * run, 1.0), (3 * run + 1, 1.0)])),
        })?;
        let x = nonius::dense::Vector::from_slice(device, &vec![1.0; 3 * RUNS])?;
        let lanes = Schedule::Lanes(256);
        for there in [
            DeviceMatrix::with_schedule(device, &PackedCsr::from_csr(&a)?, lanes),
            DeviceMatrix::with_schedule(device, &RbpCsr::from_csr(&a)?, lanes),
        ] {
            let there = match there {
                Err(Error::Shape { expected, .. }) if device.adapter().kind == AdapterKind::Software => {
                    assert!(expected.contains("turns of a loop"), "{expected}");
                    continue;
                }
                there => there?,
            };
            let mut y = nonius::dense::Vector::<f32>::zeros(device, 2)?;
            spmv(1.0, &there, &x, 0.0, &mut y)?;
            assert_eq!(y.to_host().block_on()?, [1.0, 2.0 * RUNS as f32], "{}", there.format());
        }
        Ok(())
    });
}

/// Rows of more entries than one invocation sums on some drivers, among short ones: in parts, whose edges cut runs.
#[test]
fn long_rows_are_summed_in_parts() {
    const COLUMNS: usize = 120_000;
    /// What every term is made of: exact in f32, in any order.
    fn value(k: usize) -> f32 {
        (1 + k % 3) as f32
    }
    crate::devices::on_every_device::<f32>(|device| {
        let a = Csr::from_rows(700, COLUMNS, |row, into| {
            let mut entries = |length: usize, column: &dyn Fn(usize) -> usize| {
                into.extend((0..length).map(|k| (column(k), value(column(k) + row))));
            };
            match row {
                3 => entries(70_001, &|k| k + k / 7777),
                300 => entries(40_000, &|k| 3 * k),
                301 => entries(33_000, &|k| k + k / 3),
                // One about each length of a part.
                302..=307 => entries([511, 512, 513, 1023, 1024, 1025][row - 302], &|k| 5 + k),
                _ => entries(row % 5, &|k| row * 11 + 3 * k),
            }
        })?;
        let x: Vec<f32> = (0..COLUMNS).map(|k| (k % 5) as f32).collect();
        let sum = |row: usize| a.row(row).map(|(column, value)| value * x[column]).sum::<f32>();
        let sums: Vec<f32> = (0..700).map(sum).collect();
        let upload = |values: &[f32]| nonius::dense::Vector::from_slice(device, values);
        let (x, ones) = (upload(&x)?, upload(&[1.0; 700])?);
        for format in [Format::Csr, Format::PackedCsr] {
            let there = DeviceMatrix::from_csr(device, &a, format)?;
            let mut y = upload(&[1.0; 700])?;
            let mut dot = nonius::dense::Vector::zeros(device, 1)?;
            spmv_dot(2.0, &there, &x, 3.0, &mut y, &ones, &mut dot)?;
            let expected: Vec<f32> = sums.iter().map(|sum| 2.0 * sum + 3.0).collect();
            assert_eq!(y.to_host().block_on()?, expected, "{format} on {}", device.name());
            assert_eq!(dot.to_host().block_on()?, [expected.iter().sum::<f32>()], "{format}");
            residual(&there, &x, &ones, &mut y)?;
            let expected: Vec<f32> = sums.iter().map(|sum| 1.0 - sum).collect();
            assert_eq!(y.to_host().block_on()?, expected, "the residual of {format}");
        }
        Ok(())
    });
}

/// Four rows at once, in another order than they lie in, where the last are fewer than four: every row is written, and nothing
/// behind them.
#[test]
fn fours_of_rows_leave_none_out() {
    crate::devices::on_every_device::<f32>(|device| {
        for n in [13, 14, 15] {
            let a = nonius::sparse::generate::stencil27(n, n, n)?.map(f32::from_f64);
            let rows = a.rows();
            // Exact in f32, in any order.
            let x: Vec<f32> = (0..rows).map(|k| (k % 5) as f32).collect();
            let expected: Vec<f32> = (0..rows)
                .map(|row| a.row(row).map(|(column, value)| value * x[column]).sum())
                .chain([f32::INFINITY; 3])
                .collect();
            let x = nonius::dense::Vector::from_slice(device, &x)?;
            for format in formats() {
                let there = DeviceMatrix::from_csr(device, &a, format)?;
                let mut y = nonius::dense::Vector::from_slice(device, &vec![f32::INFINITY; rows + 3])?;
                spmv(1.0, &there, &x, 0.0, y.strided_mut(0, rows, 1)?)?;
                assert_eq!(
                    y.to_host().block_on()?,
                    expected,
                    "{format}, {rows} rows on {}",
                    device.name()
                );
            }
        }
        Ok(())
    });
}

/// More workgroups than a row of a grid has.
#[test]
fn a_folded_grid_covers_all_rows() {
    crate::devices::on_every_device::<f32>(|device| {
        let rows = (32_768 + 5) * 256 + 17;
        let entries = |row: usize| (row.is_multiple_of(4093) || row + 1 == rows).then_some((row % 7, row as f32));
        let a = Csr::from_rows(rows, 7, |row, into| into.extend(entries(row)))?;
        let x = nonius::dense::Vector::from_slice(device, &[1.0; 7])?;
        let w = nonius::dense::Vector::from_slice(device, &vec![1.0; rows])?;
        let mut y = nonius::dense::Vector::from_slice(device, &vec![f32::NAN; rows])?;
        let mut sum = nonius::dense::Vector::zeros(device, 1)?;
        let there = DeviceMatrix::new(device, &a)?;
        spmv_dot(1.0, &there, &x, 0.0, &mut y, &w, &mut sum)?;
        let found = y.to_host().block_on()?;
        let wrong = (0..rows).find(|row| found[*row] != entries(*row).map_or(0.0, |(_, value)| value));
        assert_eq!(wrong, None, "on {}", device.name());
        let exact: f64 = found.iter().map(|y| f64::from(*y)).sum();
        let sum = f64::from(sum.to_host().block_on()?[0]);
        let error = (sum - exact).abs() / exact;
        assert!(
            crate::support::within(error, crate::support::gamma::<f32>(2100.0)),
            "{error}"
        );
        Ok(())
    });
}
