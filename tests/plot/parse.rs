//! Texts of polynomials, good, bad and hostile.

use std::fs;
use std::time::Instant;

use nonius::plot::{Polynomial, Rational, parse};

use crate::polynomial;

#[test]
fn many_ways_to_write_one() {
    for (text, same) in [
        ("x^2+y^2-1", "x^2 + y^2 = 1"),
        ("3/4*x^2*y - 2(x-y)^3", "3x^2y/4 - 2*(x^3 - 3x^2*y + 3x*y^2 - y^3)"),
        ("0.1x + .5y = 2.", "1/10*x + y/2 - 2"),
        ("xy", "y*x"),
        ("2x y", "2*x*y"),
        ("1/2x", "x/2"),
        ("x/2/3", "x/6"),
        ("-x^2", "0 - (x^2)"),
        ("--x", "+x"),
        ("2*-x", "-2x"),
        ("x - -y", "x + y"),
        ("(x)(y)", "x*y"),
        ("x(y)2", "2x*y"),
        ("x^(3)", "x*x*x"),
        ("(x+y)^0 + x", "1 + x"),
        ("x = y", "x - y"),
        ("0 = 1 - x", "-1 + x"),
        ("x\t+\r\n y # a comment, = ) ( z\n - 1", "x+y-1"),
        ("((((x))))", "x"),
        ("6x/(1+2)", "2x"),
        ("x - x + y", "y"),
        ("(x+y)(x-y)", "x^2 - y^2"),
        ("x^128", "x^64 * x^64"),
    ] {
        assert_eq!(polynomial(text), polynomial(same), "{text}");
    }
}

#[test]
fn every_fault_has_its_place_and_reason() {
    for (text, line, column, reason) in [
        ("", 1, 1, "nothing to read"),
        ("   \n  # only this", 2, 14, "nothing to read"),
        ("x + z", 1, 5, "\"z\" is unknown: the variables are x and y"),
        ("sin(x)", 1, 1, "\"sin\" is unknown"),
        ("2e3x", 1, 2, "\"e3x\" is unknown"),
        ("x^1.5", 1, 3, "a whole number such as 3, not \"1.5\""),
        ("x^-1", 1, 3, "a whole number such as 3, not '-'"),
        ("x^y", 1, 3, "not 'y'"),
        ("x^", 1, 3, "not the end of the text"),
        ("x^129", 1, 3, "above 128"),
        ("x^99999999999999999999", 1, 3, "above 128"),
        ("(x^2)^65", 1, 1, "the degree 130 is above 128"),
        ("x^100 y^100", 1, 7, "the degree 200 is above 128"),
        ("x^2^3", 1, 4, "a power of a power"),
        ("(x + 1", 1, 1, "this \"(\" has no \")\""),
        ("x + (y", 1, 5, "this \"(\" has no \")\""),
        ("x + 1)", 1, 6, "this \")\" has no \"(\""),
        ("()", 1, 2, "a \")\" where"),
        ("x = y = 1", 1, 7, "a second \"=\""),
        ("(x = y)", 1, 1, "has no \")\""),
        ("1/x", 1, 3, "only constants divide"),
        ("x/x", 1, 3, "only constants divide"),
        ("x/0", 1, 3, "a division by zero"),
        ("x/(1-1)", 1, 3, "a division by zero"),
        ("x +", 1, 4, "the text ends where"),
        ("x + * y", 1, 5, "'*' does not belong here"),
        ("x $ y", 1, 3, "'$' does not belong here"),
        ("1.2.3x", 1, 1, "\"1.2.3\" is not a number"),
        ("x + .", 1, 5, "\".\" is not a number"),
        ("5", 1, 1, "5 = 0\" holds nowhere"),
        ("x - x", 1, 1, "0 = 0 holds everywhere"),
        ("x + y\n + ä", 2, 4, "\"ä\" is unknown"),
        ("ß", 1, 1, "\"ß\" is unknown"),
        ("x²", 1, 2, "'²' does not belong here"),
        ("x\u{0}", 1, 2, "does not belong here"),
    ] {
        let error = text.parse::<Polynomial>().expect_err(text).to_string();
        let place = format!("line {line}: column {column}: ");
        let reason = reason.replace("5 = 0\"", "\"5\" = 0");
        assert!(
            error.starts_with(&place) && error.contains(&reason),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn hostile_texts_end_in_time() {
    let deep = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(polynomial(&deep(parse::MAX_DEPTH)), polynomial("x"));
    for (text, reason) in [
        (deep(parse::MAX_DEPTH + 1), "nested more than 200 deep"),
        (deep(1_000_000), "nested more than 200 deep"),
        ("(".repeat(1_000_000), "nested more than 200 deep"),
        ("9".repeat(5_000) + "x", "a number of 5000 digits"),
        ("x + (2^12)^12^2".to_owned(), "a power of a power"),
        ("((2^128)^128)^128 x".to_owned(), "bits, more than the 16384"),
        ("x".repeat(1000), "the degree 129 is above 128"),
        (
            "x/".to_owned() + &["9".repeat(4_900), "7".repeat(4_900)].join("/"),
            "bits, more than the 16384",
        ),
        (" ".repeat(parse::MAX_BYTES + 1), "bytes, more than the"),
    ] {
        let error = text.parse::<Polynomial>().expect_err("hostile").to_string();
        assert!(error.contains(reason), "{reason}: {error}");
    }
    // Signs without end are a loop, not a recursion.
    assert_eq!(polynomial(&("-".repeat(1_000_001) + "x")), polynomial("-x"));
    // A million terms are read, and summed as they come.
    let million: String = (0..1_000_000)
        .map(|k| format!("+{}x^{}y^{}", k % 7, k % 60, k % 59))
        .collect();
    let sum = polynomial(&million);
    assert_eq!(sum.terms().filter(|(a, _, _)| *a == 59).count(), 59);
    let total = sum.evaluate(&Rational::from_integer(1.into()), &Rational::from_integer(1.into()));
    let expected: u32 = (0..1_000_000).map(|k| k % 7).sum();
    assert_eq!(total, Rational::from_integer(expected.into()));
    // Denominators that have little in common make a sum grow.
    let fractions: String = (1..20_000).map(|k| format!("+x/{}", 2 * k + 1)).collect();
    let error = fractions.parse::<Polynomial>().expect_err("long").to_string();
    assert!(error.contains("bits, more than the 16384"), "{error}");
}

/// Millions of products: a common divisor for each of their sums would take far longer than the products.
#[test]
fn products_of_fractions_are_made_of_integers() {
    let text = "(x/3 + y/7 + 1/11)^48 * (x/13 + y/17 + 1/19)^48";
    let start = Instant::now();
    let f = polynomial(text);
    // A second or two where everything is optimised.
    if !cfg!(debug_assertions) {
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
    let one = |n: i64, d: i64| Rational::new(n.into(), d.into());
    let factor = |parts: [i64; 3]| parts.iter().map(|d| one(1, *d)).sum::<Rational>();
    let expected = (factor([3, 7, 11]) * factor([13, 17, 19])).pow(48);
    assert_eq!(f.evaluate(&one(1, 1), &one(1, 1)), expected);
    assert_eq!(f.degree(), 96);
}

/// Any letters: an answer or a sentence.
#[test]
fn scrambled_texts_do_not_panic() {
    let letters: Vec<char> = "xy0123.^*/+-()= #\nzä²".chars().collect();
    let mut state = 7_u64;
    let mut good = 0;
    for _ in 0..200_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mut bits = state >> 8;
        let mut text = String::new();
        for _ in 0..2 + state % 11 {
            text.push(letters[usize::try_from(bits % letters.len() as u64).expect("small")]);
            bits /= 13;
        }
        match text.parse::<Polynomial>() {
            Ok(f) => {
                good += 1;
                assert_eq!(f.to_string().parse(), Ok(f), "{text:?}");
            }
            Err(error) => assert!(error.to_string().contains(": column "), "{text:?}: {error}"),
        }
    }
    assert!(good > 1000, "{good}");
}

#[test]
fn files_are_read() {
    let path = std::env::temp_dir().join(format!("nonius-plot-{}.poly", std::process::id()));
    fs::write(&path, "# the unit circle\nx^2\n  + y^2\n= 1\n").expect("it can be written");
    assert_eq!(parse::read(&path), Ok(polynomial("x^2+y^2-1")));
    fs::write(&path, "x^2\n+ q").expect("it can be written");
    let error = parse::read(&path).expect_err("q").to_string();
    assert!(error.contains(".poly: line 2: column 3: \"q\" is unknown"), "{error}");
    fs::write(&path, b"x\xff").expect("it can be written");
    assert!(parse::read(&path).is_err_and(|error| error.to_string().contains("UTF-8")));
    fs::remove_file(&path).expect("it is there");
    assert!(parse::read(&path).is_err());
}
