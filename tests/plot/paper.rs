//! Counts that others can reproduce, and the paper's method against its definition in fractions.

use nonius::plot::{Cell, Grid, Method, Polynomial, Rational, bits};
use num_traits::{One, Signed, Zero};

use crate::{cells, curve, each, grid};

/// Cells on [-2, 2]² that the paper's method draws, computed once by another program in Python's integers.
#[test]
fn cells_that_the_paper_draws() {
    for (name, n, drawn) in [
        ("heart", 64, 2190),
        ("spade", 64, 2284),
        ("heart", 128, 6090),
        ("spade", 128, 8330),
    ] {
        let found = cells(&curve(name), &grid("-2,2,-2,2", n, n), Method::Paper);
        assert_eq!(found.count(Cell::Undecided), drawn, "{name} {n}");
        assert_eq!(found.count(Cell::Empty), n * n - drawn, "{name} {n}");
    }
}

/// Cells that have signs of both kinds at their corners are 366 and 460; those that no block of one cell excludes 506 and
/// 756.
#[test]
fn what_is_tight() {
    for (name, crossed, drawn, isolated) in [("heart", 366, 506, 0), ("spade", 460, 756, 2)] {
        let found = cells(&curve(name), &grid("-2,2,-2,2", 128, 128), Method::Tight);
        let (found_crossed, undecided) = (found.count(Cell::Crossed), found.count(Cell::Undecided));
        assert!(found_crossed >= crossed, "{name}: {found:?}");
        assert!(found_crossed + undecided <= drawn, "{name}: {found:?}");
        // Heart has four isolated points beside the figure, on lines y = p/q; those of Spade are on none that is simple.
        assert_eq!(undecided, isolated, "{name}: {found:?}");
    }
}

/// [low, high] of f over [x0, x1] × [y0, y1], in fractions, term by term.
fn interval(f: &Polynomial, x: &[Rational; 2], y: &[Rational; 2]) -> [Rational; 2] {
    let power = |side: &[Rational; 2], n: u32| {
        let at = |end: &Rational| (0..n).fold(Rational::one(), |power, _| power * end);
        let ends = [at(&side[0]), at(&side[1])];
        let [low, high] = if ends[0] <= ends[1] {
            ends
        } else {
            let [a, b] = ends;
            [b, a]
        };
        let inside = !side[0].is_positive() && !side[1].is_negative();
        if n > 0 && n.is_multiple_of(2) && inside {
            [Rational::zero(), high]
        } else {
            [low, high]
        }
    };
    f.terms().fold([Rational::zero(), Rational::zero()], |sum, (a, b, c)| {
        let (x, y) = (power(x, a), power(y, b));
        let products = x.iter().flat_map(|x| y.iter().map(move |y| c * x * y));
        let mut products: Vec<Rational> = products.collect();
        products.sort();
        let [low, high] = sum;
        [low + &products[0], high + &products[3]]
    })
}

#[test]
fn cells_are_what_fractions_say() {
    for (name, view, width, height) in [
        ("heart", "-2,2,-2,2", 16, 16),
        ("spade_base", "-2,1.9,-5/3,2", 13, 11),
        ("folium", "-1/3,1,-1,1/7", 9, 5),
    ] {
        let (f, grid): (Polynomial, Grid) = (curve(name), grid(view, width, height));
        for (i, j, cell) in each(&cells(&f, &grid, Method::Paper)) {
            let ((x0, y0), (x1, y1)) = (grid.corner(i, j), grid.corner(i + 1, j + 1));
            let [low, high] = interval(&f, &[x0, x1], &[y0, y1]);
            let drawn = !low.is_positive() && !high.is_negative();
            assert_eq!(cell == Cell::Undecided, drawn, "{name} in ({i}, {j})");
        }
    }
}

/// Bits that are asked of residues, on [-2, 2]²: of sixteen-bit primes 4 to 6 for Heart, and 29 to 31 for Spade.
#[test]
fn residues_need_so_many_bits() {
    // Where a block is half a side long, |X| + pu doubles from -2; there it costs as many bits as the degree.
    for (name, n, of_the_paper, more) in [
        ("heart", 64, 55, 6),
        ("heart", 256, 67, 2),
        ("heart", 1024, 79, 1),
        ("spade", 64, 450, 8),
        ("spade", 256, 466, 3),
        ("spade", 1024, 482, 1),
    ] {
        let (f, grid) = (curve(name), grid("-2,2,-2,2", n, n));
        assert_eq!(bits(&f, &grid, Method::Paper), of_the_paper, "{name} {n}");
        let tight = bits(&f, &grid, Method::Tight);
        assert!(
            (of_the_paper..=of_the_paper + more).contains(&tight),
            "{name} {n}: {tight}"
        );
    }
}
