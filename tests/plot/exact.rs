//! No cell that is called empty has a zero in it, and every cell that is called crossed has one.

use nonius::plot::{Cell, Grid, Method, Polynomial, Rational, curves};

use crate::oracle::{Direction, Line, seen, seen_closely};
use crate::{cells, curve, each, grid, polynomial};

/// Holds both methods against zeros along lines, and against each other; gives the undecided cells of the tight one.
fn is_true(name: &str, f: &Polynomial, grid: &Grid) -> usize {
    let seen = seen(f, grid, 1);
    let (paper, tight) = (cells(f, grid, Method::Paper), cells(f, grid, Method::Tight));
    let zeros = seen.iter().flatten().filter(|zero| **zero).count();
    for (i, j, cell) in each(&paper) {
        assert!(
            cell != Cell::Crossed,
            "{name}: the paper proves no crossing, but in ({i}, {j})"
        );
        assert!(
            !(seen[j][i] && cell == Cell::Empty),
            "{name}: a zero in ({i}, {j}), paper"
        );
    }
    for (i, j, cell) in each(&tight) {
        match cell {
            Cell::Empty => assert!(!seen[j][i], "{name}: a zero in ({i}, {j}), which was called empty"),
            Cell::Crossed => {
                let there = seen[j][i] || seen_closely(f, grid, (i, j), 255) || on_known_lines(f, grid, (i, j));
                assert!(there, "{name}: no zero in ({i}, {j}), which was called crossed");
                assert!(
                    paper.get(i, j) != Some(Cell::Empty),
                    "{name}: the methods disagree in ({i}, {j})"
                );
            }
            Cell::Undecided => {}
        }
    }
    assert!(
        tight.count(Cell::Crossed) >= zeros - tight.count(Cell::Undecided),
        "{name}"
    );
    tight.count(Cell::Undecided)
}

/// Lines on which isolated points of the curves of these tests lie, found with 400 digits by another program.
fn on_known_lines(f: &Polynomial, grid: &Grid, (i, j): (usize, usize)) -> bool {
    let ((x0, y0), (x1, y1)) = (grid.corner(i, j), grid.corner(i + 1, j + 1));
    KNOWN.iter().any(|(direction, numerator, denominator)| {
        let at = Rational::new((*numerator).into(), (*denominator).into());
        let (across, along) = match direction {
            Direction::Horizontal => ([&y0, &y1], [x0.clone(), x1.clone()]),
            Direction::Vertical => ([&x0, &x1], [y0.clone(), y1.clone()]),
        };
        *across[0] <= at && at <= *across[1] && Line::of(f, *direction, &at).zeros(&along)[0]
    })
}

const KNOWN: [(Direction, i64, i64); 4] = [
    // Heart: (±0.3731, −386/351) and (±1.7231, −41/76).
    (Direction::Horizontal, -386, 351),
    (Direction::Horizontal, -41, 76),
    (Direction::Vertical, 1, 3),
    (Direction::Horizontal, 0, 1),
];

#[test]
fn curves_that_have_names() {
    for curve in curves::ALL {
        let f = curve.polynomial().expect("it is shipped");
        let grid = Grid::new(curve.view().expect("it is shipped"), 64, 64).expect("small");
        // Points of this equation that nobody meant to draw, isolated, with coordinates that are no simple fractions.
        let isolated = if curve.name == "spade" { 2 } else { 0 };
        assert_eq!(is_true(curve.name, &f, &grid), isolated, "{}", curve.name);
    }
}

/// Rectangular cells, thirds and sevenths, and blocks that the grid's edge cuts.
#[test]
fn odd_grids() {
    for name in ["heart", "folium", "bicorn", "touching_circles", "double_line"] {
        for (view, width, height) in [
            ("-1.9,2/3,-11/7,1.7", 37, 21),
            ("-2,2,-1/3,1/3", 33, 1),
            ("-1/3,2/3,-2,2", 1, 70),
            ("-5,5,-5,5", 1, 1),
            ("-2,2,-2,2", 5, 9),
        ] {
            is_true(&format!("{name} in {view}"), &curve(name), &grid(view, width, height));
        }
    }
}

#[test]
fn touching_multiple_and_high() {
    for text in [
        "(x - y - 1/7)^2",
        "(x^2 + y^2 - 1/3)^2",
        "x y (x - y)(x + y - 1/5)",
        "x^20 + y^20 = 1",
        "(x - 1/3)^3 y^2",
        "((x - 1/3)^2 + y^2)(x^2 + (y - 1)^2 - 1/9)",
        "x^2 + y^2 + 1",
        "y - 100x^5 + 3x",
    ] {
        is_true(text, &polynomial(text), &grid("-7/5,13/10,-9/8,3/2", 40, 40));
    }
}

/// Whatever the coefficients.
#[test]
fn random_polynomials() {
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for case in 0..60 {
        let degree = 1 + random(6);
        let mut text = String::from("0");
        for a in 0..=degree {
            for b in 0..=degree - a {
                if random(3) > 0 {
                    text += &format!(" + {}/{} x^{a} y^{b}", random(19), 1 + random(5));
                    text += &format!(" - {}/{} x^{a} y^{b}", random(19), 1 + random(5));
                }
            }
        }
        let Ok(f) = text.parse::<Polynomial>() else { continue };
        let f = if case % 3 == 0 { f.primitive() } else { f };
        is_true(&text, &f, &grid("-1.5,1.7,-1.3,1.4", 17, 13));
    }
}

/// A point between the lattice lines is not proved, and not denied either; on a lattice point it is proved.
#[test]
fn isolated_points_are_never_lost() {
    for (text, crossed, undecided) in [
        // Of a fraction with a small denominator it is proved, and one coordinate is enough.
        ("(x - 1/3)^2 + (y - 1/7)^2", 1, 0),
        ("(x^2 - 1/3)^2 + (y - 1/7)^2", 2, 0),
        ("(x^2 - 1/3)^2 + (y^2 - 1/7)^2", 0, 4),
        // No point, but nearly.
        ("(x - 1/3)^2 + (y - 1/7)^2 + 0.000000000001", 0, 1),
        // On an edge, whose Sturm sequence sees it from both sides.
        ("(x - 1/2)^2 + (y - 1/7)^2", 2, 0),
        ("(x - 1/2)^2 + (y - 1/4)^2", 4, 0),
        // A corner of a quarter of a cell.
        ("(x - 3/8)^2 + (y - 1/8)^2", 1, 0),
    ] {
        let found = cells(&polynomial(text), &grid("-1,1,-1,1", 8, 8), Method::Tight);
        let counts = (found.count(Cell::Crossed), found.count(Cell::Undecided));
        assert_eq!(counts, (crossed, undecided), "{text}");
    }
}

/// The same cell, whatever grid it is a part of: bands and blocks leave no trace.
#[test]
fn zooming_in_changes_nothing() {
    let f = curve("heart");
    let (whole, part) = (grid("-2,2,-2,2", 96, 96), grid("-1,2/3,-1/2,1/2", 40, 24));
    let (whole, part) = (cells(&f, &whole, Method::Tight), cells(&f, &part, Method::Tight));
    for (i, j, cell) in each(&part) {
        // Cells are 1/24 wide; the part begins 24 cells right of the left end, and 36 above the lower.
        assert_eq!(whole.get(i + 24, j + 36), Some(cell), "({i}, {j})");
    }
    assert!(part.count(Cell::Crossed) > 20);
}

#[test]
fn constants_are_everywhere_or_nowhere() {
    let grid = grid("-1,1,-1,1", 3, 3);
    let nowhere = Polynomial::from_terms([(0, 0, Rational::from_integer(5.into()))]).expect("small");
    let everywhere = Polynomial::default();
    assert_eq!(cells(&nowhere, &grid, Method::Tight).count(Cell::Empty), 9);
    assert_eq!(cells(&everywhere, &grid, Method::Tight).count(Cell::Crossed), 9);
    assert_eq!(cells(&nowhere, &grid, Method::Paper).count(Cell::Empty), 9);
    assert_eq!(cells(&everywhere, &grid, Method::Paper).count(Cell::Undecided), 9);
}
