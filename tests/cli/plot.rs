//! `nonius plot`, as its users run it.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use nonius::plot::{Cell, Grid, Method, classify, curves};
use resvg::tiny_skia::Pixmap;
use serde_json::Value;

use crate::{directory, run};

fn plot(arguments: &[&str]) -> Output {
    run(&[&["plot"], arguments].concat())
}

fn object(arguments: &[&str]) -> Value {
    crate::object(&[&["plot"], arguments].concat())
}

fn refusal(arguments: &[&str]) -> String {
    crate::refusal(&[&["plot"], arguments].concat())
}

fn place(name: &str) -> PathBuf {
    directory("plot").join(name)
}

#[test]
fn counts_are_those_of_the_library() {
    for (method, empty, crossed) in [("paper", 16384 - 6090, 0), ("tight", 16014, 370)] {
        let on_host = [
            "heart",
            "--view",
            "-2,2,-2,2",
            "--width",
            "128",
            "--device",
            "host",
            "--method",
            method,
        ];
        let found = object(&on_host);
        assert_eq!(
            [&found["cells"], &found["empty"], &found["crossed"]],
            [16384, empty, crossed]
        );
        assert_eq!(found["undecided"], 16384 - empty - crossed);
        assert_eq!(found["curve"], "heart");
        assert_eq!(found["method"], method);
        assert_eq!(found["device"], "host");
        assert_eq!(found["primes"], 0);
        assert_eq!([&found["width"], &found["height"]], [128, 128]);
        assert!(found["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
        assert!(found["bits"].as_u64().is_some_and(|bits| (60..80).contains(&bits)));
    }
}

/// Whatever is the best device here, the counts are the host's; only a GPU has primes.
#[test]
fn every_device_draws_the_same() {
    for method in ["paper", "tight"] {
        let arguments = ["folium", "--width", "33", "--method", method];
        let [host, auto] = ["host", "auto"].map(|device| object(&[&arguments[..], &["--device", device]].concat()));
        for key in ["empty", "crossed", "undecided", "bits"] {
            assert_eq!(host[key], auto[key], "{method} {key}");
        }
        let primes = auto["primes"].as_u64().expect("a number");
        assert_eq!(primes == 0, auto["device"] == "host", "{auto}");
    }
}

#[test]
fn names_files_and_equations_are_curves() {
    let path = place("unit.poly");
    fs::write(&path, "# a circle\nx^2 + y^2\n = 1\n").expect("it can be written");
    let file = path.to_str().expect("UTF-8");
    let view = ["--view", "-3/2,1.5,-3/2,1.5", "--width", "40"];
    for curve in ["circle", file, "x^2+y^2=1", "-x^2 - y^2 + 1"] {
        let found = object(&[&[curve], &view[..]].concat());
        assert_eq!([&found["crossed"], &found["undecided"]], [108, 0], "{curve}");
    }
    fs::remove_file(path).expect("it is there");
    // Cells become squares.
    let wide = object(&["x=y", "--view", "0,3,0,1", "--width", "30"]);
    assert_eq!([&wide["height"], &wide["cells"]], [10, 300]);
}

#[test]
fn pictures_are_the_cells() {
    let path = place("folium.png");
    let file = path.to_str().expect("UTF-8");
    // Cells of 5/8, so that not every cell of the second view is crossed or symmetric.
    let view = "-2,3,-3,2";
    assert!(
        plot(&["folium", "--view", view, "--width", "50", "--scale", "3", "-o", file])
            .status
            .success()
    );
    let pixels = Pixmap::decode_png(&fs::read(&path).expect("it is there")).expect("a PNG");
    fs::remove_file(&path).expect("it is there");
    let grid = Grid::new(view.parse().expect("a view"), 50, 50).expect("small");
    let f = curves::by_name("folium")
        .and_then(|curve| curve.polynomial())
        .expect("it is shipped");
    let cells = classify(&f, &grid, Method::Tight, &mut ()).expect("nobody cancels");
    assert_eq!((pixels.width(), pixels.height()), (150, 150));
    let mut crossed = 0;
    for (index, pixel) in pixels.pixels().iter().enumerate() {
        let (i, from_above) = (index % 150 / 3, index / 150 / 3);
        let colour = match cells.get(i, 49 - from_above).expect("within") {
            Cell::Empty => (255, 255, 255),
            Cell::Crossed => (0, 0, 0),
            Cell::Undecided => panic!("undecided in ({i}, {from_above})"),
        };
        crossed += usize::from(colour.0 == 0);
        assert_eq!(
            (pixel.red(), pixel.green(), pixel.blue()),
            colour,
            "({i}, {from_above})"
        );
    }
    assert_eq!(crossed, 9 * cells.count(Cell::Crossed));
    assert!(crossed > 500);
}

#[test]
fn axes_lie_around_and_behind() {
    let path = place("axes.png");
    let file = path.to_str().expect("UTF-8");
    let arguments = [
        "(x-1/3)^2+(y-1/7)^2",
        "--method",
        "paper",
        "--axes",
        "--width",
        "16",
        "-o",
        file,
    ];
    let found = object(&arguments);
    assert_eq!(found["picture"], file);
    let pixels = Pixmap::decode_png(&fs::read(&path).expect("it is there")).expect("a PNG");
    fs::remove_file(&path).expect("it is there");
    assert_eq!((pixels.width(), pixels.height()), (16 * 30 + 88, 16 * 30 + 52));
    let blue = pixels
        .pixels()
        .iter()
        .filter(|pixel| pixel.blue() > 200 && pixel.red() < 100)
        .count();
    let undecided = usize::try_from(found["undecided"].as_u64().expect("a count")).expect("small");
    assert!(undecided > 0);
    assert_eq!(blue, undecided * 900);
    let svg = place("axes.svg");
    let written = object(&["circle", "--axes", "--width", "32", "-o", svg.to_str().expect("UTF-8")]);
    let text = fs::read_to_string(&svg).expect("it is there");
    fs::remove_file(&svg).expect("it is there");
    // Letters are outlines, and every run of cells is one rectangle.
    assert!(
        !text.contains("<text") && text.contains("<title>circle</title>"),
        "{text}"
    );
    let crossed = written["crossed"].as_u64().expect("a count");
    let lengths = text.split("v1h-").skip(1).filter_map(|rest| rest.split_once('z'));
    let total: u64 = lengths
        .map(|(length, _)| length.parse::<u64>().expect("a number"))
        .sum();
    assert_eq!(total, crossed);
}

#[test]
fn every_curve_is_listed() {
    let output = plot(&["--list"]);
    let text = crate::text(&output.stdout);
    assert_eq!(text.lines().count(), curves::ALL.len());
    for (line, curve) in text.lines().zip(curves::ALL) {
        assert!(line.starts_with(curve.name) && line.ends_with(curve.about), "{line}");
    }
    let Value::Array(listed) = object(&["--list"]) else {
        panic!("no array")
    };
    assert_eq!(listed.len(), curves::ALL.len());
}

#[test]
fn refusals_are_sentences() {
    for (arguments, reason) in [
        (&["heart", "--device", "no such adapter"][..], "no such adapter"),
        (&["heart", "--device", "4000"], "4000"),
        (&["club"], "expected one of the curves heart, diamond"),
        (&["x + z"], "line 1: column 5: \"z\" is unknown"),
        (&["nowhere.poly"], "there is no such file"),
        (
            &["heart", "--view", "1,-1,0,1"],
            "expected x0 < x1, found x0 = 1 and x1 = -1",
        ),
        (&["heart", "--width", "0"], "1 to 67108864 cells, found 0 x 1"),
        (&["heart", "--width", "100000"], "found 100000 x 100000"),
        (&["heart", "--method", "guess"], "the method paper or tight"),
        (&["heart", "-o", "heart.gif"], "ends in .png or .svg"),
        (&["heart", "-o", "/nowhere/heart.png", "--width", "4"], "heart.png"),
        (&["heart", "-o", "heart.png", "--scale", "0"], "0 x 0 pixels"),
        (&["heart", "-o", "heart.png", "--scale", "4000000000"], "16384"),
        (&[], "required"),
    ] {
        let found = refusal(arguments);
        assert!(
            found.contains(reason) && !found.contains("panicked"),
            "{arguments:?}: {found}"
        );
    }
    assert!(plot(&["heart", "--device", "host", "--width", "8"]).status.success());
}
