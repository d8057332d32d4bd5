//! Plots against published counts, and against zeros that are isolated along lines in another way.

#[path = "../support/devices.rs"]
mod devices;
mod exact;
mod on_device;
mod oracle;
mod paper;
mod parse;

use nonius::plot::{Cell, Cells, Grid, Method, Polynomial, classify, curves};

fn polynomial(text: &str) -> Polynomial {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn grid(view: &str, width: usize, height: usize) -> Grid {
    let view = view.parse().unwrap_or_else(|error| panic!("{view}: {error}"));
    Grid::new(view, width, height).unwrap_or_else(|error| panic!("{width} x {height}: {error}"))
}

fn curve(name: &str) -> Polynomial {
    let curve = curves::by_name(name).unwrap_or_else(|error| panic!("{error}"));
    curve.polynomial().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn cells(f: &Polynomial, grid: &Grid, method: Method) -> Cells {
    classify(f, grid, method, &mut ()).expect("nobody cancels")
}

/// Every cell with its place: (column, row, cell).
fn each(cells: &Cells) -> impl Iterator<Item = (usize, usize, Cell)> + '_ {
    let rows = cells.rows().enumerate();
    rows.flat_map(|(j, row)| row.iter().enumerate().map(move |(i, cell)| (i, j, *cell)))
}
