//! `nonius bench exact`: the exact determinant of a random matrix with entries of two digits, phase by phase.

use std::time::Instant;

use nonius::residue::linear::{Determinant, Integers, Stop, determinant};
use nonius::{Blocking, Device, Error, Result, Select};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::ToPrimitive as _;
use serde_json::json;

use super::extent;
use crate::exact::MOST_ENTRIES;
use crate::print;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The side of the matrix.
    #[arg(long, default_value = "1000", value_parser = extent)]
    n: usize,
    /// A part of an adapter's name, its index, or host.
    #[arg(long, value_name = "NAME|INDEX|host")]
    device: Option<Select>,
    /// Timed runs of which the fastest is told, after one that compiles the kernels.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Below all primes that the library takes, which are above 2^15: the check is not one of them.
const CHECK: u32 = 32_749;

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let device = Device::open(arguments.device.clone().unwrap_or_default()).block_on()?;
    if !arguments.json {
        println!("device     {}", print::adapter(device.adapter()));
    }
    let n = arguments.n;
    let entries = entries(n)?;
    let a = Integers::new(n, n, entries.iter().map(|entry| BigInt::from(*entry)).collect())?;
    // Compiles the kernels, and warms the device.
    let small = n.min(70);
    let corner = (0..small * small).map(|at| a.entries()[at / small * n + at % small].clone());
    determinant(
        &device,
        &Integers::new(small, small, corner.collect())?,
        Stop::Certified,
    )
    .block_on()?;
    let mut runs: Vec<(f64, Determinant)> = Vec::new();
    for _ in 0..arguments.runs {
        let start = Instant::now();
        let found = determinant(&device, &a, Stop::Certified).block_on()?;
        runs.push((start.elapsed().as_secs_f64(), found));
    }
    let fastest = runs.into_iter().min_by(|x, y| x.0.total_cmp(&y.0));
    let (seconds, found) = fastest.unwrap_or_else(|| unreachable!("there is a run"));
    let residue = found.value.mod_floor(&CHECK.into()).to_u32().unwrap_or(CHECK);
    let expected = modulo(CHECK, &entries, n);
    if residue != expected {
        return Err(Error::Shape {
            operation: "bench exact",
            expected: format!("a determinant that is {expected} modulo {CHECK}, as the host has it"),
            found: format!("{residue}"),
        });
    }
    let digits = found.value.magnitude().to_string().len();
    let products = (n as f64).powi(3) / 3.0 * found.primes as f64;
    if arguments.json {
        let object = json!({
            "device": device.name(),
            "backend": device.adapter().backend,
            "n": n,
            "digits": digits,
            "primes": found.primes,
            "checked_modulo": CHECK,
            "multiply_adds": products,
            "seconds": {
                "bound": found.bound_seconds,
                "elimination": found.elimination_seconds,
                "remainders": found.remainder_seconds,
                "all": seconds,
            },
        });
        println!("{object:#}");
        return Ok(());
    }
    let (digits, primes) = (print::count(digits), print::count(found.primes));
    println!("det A      {n} x {n}, entries of two digits: {digits} digits, {primes} primes");
    println!("bound      {}", print::seconds(found.bound_seconds));
    let rate = products / found.elimination_seconds / 1e9;
    println!(
        "eliminated {}, {rate:.1} G multiply-adds/s",
        print::seconds(found.elimination_seconds)
    );
    println!("remainders {}", print::seconds(found.remainder_seconds));
    println!("in all     {}", print::seconds(seconds));
    println!("checked    against the host modulo {CHECK}, which was not used");
    Ok(())
}

/// Numbers of two digits and either sign, the same every time.
fn entries(n: usize) -> Result<Vec<i32>> {
    let limit = MOST_ENTRIES * size_of::<i32>();
    let len = n.checked_mul(n).filter(|len| *len <= MOST_ENTRIES);
    let len = len.ok_or_else(|| Error::TooLarge {
        what: format!("a matrix of {n} x {n}"),
        bytes: (n as u64)
            .saturating_mul(n as u64)
            .saturating_mul(size_of::<i32>() as u64),
        limit: limit as u64,
        limit_name: "what exact elimination takes",
        device: "host".to_owned(),
    })?;
    let mut state = 1_u64;
    let draw = |_| {
        // Knuth's MMIX; the high bits are the good ones.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i32::try_from((state >> 33) % 199).unwrap_or(0) - 99
    };
    Ok((0..len).map(draw).collect())
}

/// The determinant modulo a prime, by divisions: nothing of the library is used.
fn modulo(p: u32, entries: &[i32], n: usize) -> u32 {
    let p = i64::from(p);
    let mut rows: Vec<Vec<i64>> = entries
        .chunks(n)
        .map(|row| row.iter().map(|entry| i64::from(*entry).rem_euclid(p)).collect())
        .collect();
    let power = |x: i64| {
        (0..15).rev().fold(1, |y, bit| {
            let square = y * y % p;
            if (p - 2) >> bit & 1 == 1 {
                square * x % p
            } else {
                square
            }
        })
    };
    let mut determinant = 1;
    for col in 0..n {
        let Some(pivot) = (col..n).find(|row| rows[*row][col] != 0) else {
            return 0;
        };
        if pivot != col {
            rows.swap(pivot, col);
            determinant = (p - determinant) % p;
        }
        let (above, below) = rows.split_at_mut(col + 1);
        let top = &above[col];
        determinant = determinant * top[col] % p;
        let inverse = power(top[col]);
        for row in below {
            let factor = row[col] * inverse % p;
            if factor != 0 {
                row[col..]
                    .iter_mut()
                    .zip(&top[col..])
                    .for_each(|(x, u)| *x = (*x + (p - factor) * u) % p);
            }
        }
    }
    u32::try_from(determinant).unwrap_or(0)
}
