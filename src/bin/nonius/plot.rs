//! `nonius plot CURVE`: the cells that a curve f(x, y) = 0 passes through, proved.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Instant;

use nonius::plot::{Cell, Cells, Grid, Method, Polynomial, View, bits, classify_on, curves, parse, primes};
use nonius::{Blocking, Device, Error, Result, Select};
use num_traits::ToPrimitive;
use serde_json::json;

use crate::picture::CellPicture;
use crate::print;
use crate::progress::Progress;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The curve: a name (--list shows them), a file that holds an equation, or an equation such as "x^2 + y^2 = 1".
    #[arg(
        required_unless_present = "list",
        conflicts_with = "list",
        allow_hyphen_values = true
    )]
    curve: Option<OsString>,
    /// The part of the plane, as decimal numbers or fractions; by default what suits the curve, or -2,2,-2,2.
    #[arg(long, value_name = "X0,X1,Y0,Y1", allow_hyphen_values = true)]
    view: Option<View>,
    /// Cells in a row.
    #[arg(long, default_value_t = 512)]
    width: usize,
    /// Rows of cells; by default as many as make the cells squares, nearly.
    #[arg(long)]
    height: Option<usize>,
    /// paper (intervals, as Suzuki and Murao 2010 have it) or tight.
    #[arg(long, default_value_t)]
    method: Method,
    /// A part of an adapter's name, its index, host, or auto: the best there is. The cells are the same on all of them.
    #[arg(long, value_name = "NAME|INDEX|host|auto")]
    device: Option<Select>,
    /// The picture, .png or .svg: crossed cells black, undecided ones blue, empty ones white.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw a frame with numbers around the cells, and the axes behind them.
    #[arg(long, requires = "out")]
    axes: bool,
    /// Pixels of a cell's side; by default 1, or with axes what makes the picture large enough for them.
    #[arg(long, value_name = "PIXELS", requires = "out")]
    scale: Option<u32>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Show the curves that have names.
    #[arg(long)]
    list: bool,
}

/// What is drawn, and what it is called.
struct Subject {
    name: String,
    about: Option<&'static str>,
    f: Polynomial,
    view: View,
}

/// What came of it.
struct Done {
    cells: Cells,
    device: Device,
    primes: usize,
    seconds: f64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let Some(curve) = &arguments.curve else {
        list(arguments.json);
        return Ok(());
    };
    let mut subject = subject(curve)?;
    if let Some(view) = &arguments.view {
        subject.view = view.clone();
    }
    let height = arguments
        .height
        .unwrap_or_else(|| square_height(&subject.view, arguments.width));
    let grid = Grid::new(subject.view.clone(), arguments.width, height)?;
    // What cannot be written should be known before what lasts.
    if let Some(path) = &arguments.out {
        CellPicture::check(path, &grid, arguments.axes, arguments.scale)?;
    }
    let device = Device::open(arguments.device.clone().unwrap_or_default()).block_on()?;
    let mut progress = Progress::new(!arguments.json);
    let start = Instant::now();
    let cells = classify_on(&device, &subject.f, &grid, arguments.method, &mut progress).block_on();
    let seconds = start.elapsed().as_secs_f64();
    progress.finish();
    let done = Done {
        cells: cells?,
        seconds,
        // The host computes with big integers.
        primes: if device.is_host() {
            0
        } else {
            primes(&subject.f, &grid, arguments.method)?
        },
        device,
    };
    if let Some(path) = &arguments.out {
        let picture = CellPicture {
            cells: &done.cells,
            grid: &grid,
            title: &subject.name,
            axes: arguments.axes,
            scale: arguments.scale,
        };
        picture.write(path)?;
    }
    if arguments.json {
        println!("{:#}", object(arguments, &subject, &grid, &done));
    } else {
        show(arguments, &subject, &grid, &done);
    }
    Ok(())
}

/// A name comes first, then a file, then an equation.
fn subject(given: &OsStr) -> Result<Subject> {
    let anywhere = || "-2,2,-2,2".parse();
    // Names and equations are Unicode; the name of a file may be none.
    let text = &given.to_string_lossy();
    if let Ok(curve) = curves::by_name(text) {
        return Ok(Subject {
            name: curve.name.to_owned(),
            about: Some(curve.about),
            f: curve.polynomial()?,
            view: curve.view()?,
        });
    }
    let (name, f) = if Path::new(given).is_file() {
        (text.to_string(), parse::read(given)?)
    } else {
        let f = text.parse().map_err(|error| explained(text, error))?;
        (text.trim().to_owned(), f)
    };
    Ok(Subject {
        name,
        about: None,
        f,
        view: anywhere()?,
    })
}

/// What looks like a name or a file was hardly meant as an equation.
fn explained(text: &str, error: Error) -> Error {
    if text.ends_with(".poly") || text.contains(std::path::MAIN_SEPARATOR) && text.contains('.') {
        return Error::File {
            path: text.into(),
            reason: format!("there is no such file; as an equation, {error}"),
        };
    }
    let word = |letter: char| letter.is_alphanumeric() || letter == '_';
    match curves::by_name(text) {
        Err(unknown) if text.len() > 2 && text.chars().all(word) => unknown,
        _ => error,
    }
}

/// Rows of cells that are squares, or nearly.
fn square_height(view: &View, width: usize) -> usize {
    let side = |(low, high): (&nonius::plot::Rational, &nonius::plot::Rational)| high - low;
    let rows = side(view.y()) / side(view.x()) * num_bigint::BigInt::from(width);
    // Of a view that is far too high the grid says so.
    rows.round().to_integer().to_usize().unwrap_or(usize::MAX).max(1)
}

fn list(json: bool) {
    if json {
        let object = |curve: &curves::Curve| json!({"name": curve.name, "about": curve.about});
        println!("{:#}", json!(curves::ALL.iter().map(object).collect::<Vec<_>>()));
    } else {
        for curve in curves::ALL {
            println!("{:<17} {}", curve.name, curve.about);
        }
    }
}

fn object(arguments: &Arguments, subject: &Subject, grid: &Grid, done: &Done) -> serde_json::Value {
    json!({
        "curve": subject.name,
        "degree": subject.f.degree(),
        "terms": subject.f.terms().count(),
        "view": grid.view().to_string(),
        "width": grid.width(),
        "height": grid.height(),
        "method": arguments.method.to_string(),
        "cells": grid.width() * grid.height(),
        "empty": done.cells.count(Cell::Empty),
        "crossed": done.cells.count(Cell::Crossed),
        "undecided": done.cells.count(Cell::Undecided),
        "bits": bits(&subject.f, grid, arguments.method),
        "primes": done.primes,
        "seconds": print::number(done.seconds),
        "device": done.device.name(),
        "picture": arguments.out.as_deref().map(print::path),
    })
}

fn show(arguments: &Arguments, subject: &Subject, grid: &Grid, done: &Done) {
    let about = subject.about.map_or(String::new(), |about| format!(": {about}"));
    println!("curve      {}{about}", subject.name);
    println!(
        "           degree {}, {} terms",
        subject.f.degree(),
        print::count(subject.f.terms().count())
    );
    println!(
        "view       {} in {} x {} cells",
        grid.view(),
        print::count(grid.width()),
        print::count(grid.height())
    );
    for (name, kind) in [
        ("empty", Cell::Empty),
        ("crossed", Cell::Crossed),
        ("undecided", Cell::Undecided),
    ] {
        let proved = if kind == Cell::Undecided { "" } else { ", proved" };
        println!("{name:<10} {}{proved}", print::count(done.cells.count(kind)));
    }
    println!(
        "method     {}, in integers of up to {} bits{}, on {}: {}",
        arguments.method,
        print::count(usize::try_from(bits(&subject.f, grid, arguments.method)).unwrap_or(usize::MAX)),
        match done.primes {
            0 => String::new(),
            primes => format!(", held by {primes} primes"),
        },
        if done.device.is_host() {
            "the host"
        } else {
            done.device.name()
        },
        print::seconds(done.seconds)
    );
    match &arguments.out {
        Some(path) => println!("picture    {}", path.display()),
        None => println!("picture    none (-o FILE.png draws one)"),
    }
}
