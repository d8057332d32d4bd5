//! Answers without rounding: Hilbert's matrix solved over the rationals, and a curve of which every cell is proved.
//!
//! `cargo run --release --example exact`

use nonius::plot::{Cell, Grid, Method, classify_on, curves};
use nonius::residue::linear::{Integers, Rational, Stop, determinant, integers_of_rows, solve};
use nonius::{Blocking, Device, Result, Select};

fn main() -> Result<()> {
    let device = Device::open(Select::Auto).block_on()?;
    println!("on {}", device.name());

    // Hilbert's matrix of 12 rows: its condition number is 1.7·10¹⁶, so doubles know nothing of x.
    let n = 12;
    let entry = |at: usize| Rational::new(1.into(), (at / n + at % n + 1).into());
    let entries: Vec<Rational> = (0..n * n).map(entry).collect();
    let (a, multiples) = integers_of_rows(n, n, &entries)?;
    let found = determinant(&device, &a, Stop::Certified).block_on()?;
    let scaled = Rational::new(found.value, multiples.iter().product());
    println!("det H = {scaled}, from {} primes", found.primes);
    // The rows of A were multiplied, and so are those of b.
    let b = Integers::new(n, 1, multiples)?;
    let x = solve(&device, &a, &b).block_on()?;
    println!("H x = (1, …, 1): the first is {}, the last {}", x[0], x[n - 1]);

    let heart = curves::by_name("heart")?;
    let grid = Grid::new(heart.view()?, 48, 24)?;
    let cells = classify_on(&device, &heart.polynomial()?, &grid, Method::Tight, &mut ()).block_on()?;
    for row in cells.rows().rev() {
        let signs = row.iter().map(|cell| match cell {
            Cell::Crossed => '#',
            Cell::Undecided => '?',
            _ => ' ',
        });
        println!("{}", signs.collect::<String>().trim_end());
    }
    Ok(())
}
