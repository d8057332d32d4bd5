//! `nonius exact` and `nonius bench exact`, as their users run them.

use crate::{directory, object, refusal, run, write};

/// In a folder of the test that asks: tests run side by side, and two of them may mean different files by one name.
fn file(name: &str, text: &str) -> String {
    let of_test = std::thread::current().name().unwrap_or("exact").replace("::", "-");
    write(&directory(&of_test), name, text)
}

/// An array file, by columns.
fn array(name: &str, rows: usize, values: &[&str]) -> String {
    let cols = values.len() / rows;
    let text = format!(
        "%%MatrixMarket matrix array real general\n{rows} {cols}\n{}\n",
        values.join("\n")
    );
    file(name, &text)
}

#[test]
fn determinants_are_exact() {
    let a = array("det", 2, &["3", "4", "8", "6"]);
    for device in ["host", "0"] {
        if device == "0" && std::env::var_os("NONIUS_REQUIRE_GPU").is_none() {
            continue;
        }
        let found = object(&["exact", "det", &a, "--device", device]);
        assert_eq!(found["determinant"], "-14", "{device}");
        assert_eq!((&found["certified"], &found["digits"]), (&true.into(), &2.into()));
        assert!(found["primes"].as_u64().is_some_and(|primes| primes > 0));
        assert!(found["seconds"]["elimination"].is_number());
    }
    // What is written is what counts: a tenth, and all digits of a decimal that is not quite a third.
    let a = array("tenths", 2, &["0.1", "0", "0", "1e-20"]);
    assert_eq!(
        object(&["exact", "det", &a])["determinant"],
        format!("1/1{}", "0".repeat(21))
    );
    for (written, value) in [
        ("0.3333333333333333", "3333333333333333/10000000000000000".to_owned()),
        ("9007199254740993", "9007199254740993".to_owned()),
        ("-1.5D+400", format!("-15{}", "0".repeat(399))),
        ("2-3", "1/500".to_owned()),
        (
            "12345678901234567890123456789012345678901234567890",
            "12345678901234567890123456789012345678901234567890".to_owned(),
        ),
    ] {
        let a = array("written", 1, &[written]);
        assert_eq!(object(&["exact", "det", &a])["determinant"], value, "{written}");
    }
    let long = "7".repeat(400);
    let text = format!("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 {long}\n2 1 1\n2 2 0\n");
    let a = file("long", &text);
    assert_eq!(object(&["exact", "det", &a])["determinant"], "-1");
    let a = array("early", 2, &["99999999", "7", "5", "99999998"]);
    let early = object(&["exact", "det", &a, "--unchanged", "1"]);
    assert_eq!(early["determinant"], "9999999699999967");
    let told = run(&["exact", "det", &a]);
    let told = crate::text(&told.stdout);
    assert!(
        told.contains("9999999699999967") && told.contains("certified by Hadamard's bound"),
        "{told}"
    );
}

#[test]
fn ranks_and_solutions_are_exact() {
    let a = array("rank", 3, &["1", "2", "3", "2", "4", "6"]);
    assert_eq!(object(&["exact", "rank", &a])["rank"], 1);
    let (a, b) = (array("a", 2, &["2", "1", "1", "3"]), array("b", 2, &["0.5", "1"]));
    for method in ["crt", "dixon"] {
        let found = object(&["exact", "solve", &a, &b, "--method", method]);
        assert_eq!(
            (&found["x"], &found["method"]),
            (&serde_json::json!(["1/10", "3/10"]), &method.into())
        );
        let found = object(&["exact", "solve", &a, "--method", method]);
        assert_eq!(found["x"], serde_json::json!(["2/5", "1/5"]));
        assert_eq!(found["digits"].is_u64(), method == "dixon", "{found}");
    }
    // Entries of 40 digits, and a solution of one: the bound is far behind it.
    let (large, twice) = ("9".repeat(40), "1".to_owned() + &"9".repeat(39) + "8");
    let a = array("large", 2, &[&large, "0", "1", &large]);
    let b = array("twice", 2, &[&twice, "0"]);
    let solve = ["exact", "solve", &a, &b, "--method", "dixon"];
    let [certified, early] = [&[][..], &["--unchanged", "2"]].map(|stop| object(&[&solve[..], stop].concat()));
    assert_eq!(early["x"], serde_json::json!(["2", "0"]));
    assert_eq!(early["x"], certified["x"]);
    let [few, many] = [&early, &certified].map(|found| found["digits"].as_u64().expect("a number"));
    assert!(few < many, "{few} {many}");
    let told = run(&[&solve[..], &["--unchanged", "2"]].concat());
    let told = crate::text(&told.stdout);
    assert!(told.contains("dixon, certified by A x = b"), "{told}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let wide = array("wide", 1, &["1", "2"]);
    let said = refusal(&["exact", "det", &wide]);
    assert!(said.contains("square") && said.contains("1 x 2"), "{said}");
    let singular = array("singular", 2, &["1", "2", "3", "6"]);
    for method in ["crt", "dixon"] {
        let said = refusal(&["exact", "solve", &singular, "--method", method]);
        assert!(said.contains("column 1"), "{said}");
    }
    for (written, word) in [
        ("nan", "not finite"),
        ("-inf", "not finite"),
        ("1e5000", "beyond ±4932"),
        ("0x10", "not a number"),
    ] {
        let said = refusal(&["exact", "rank", &array("wrong", 1, &[written])]);
        assert!(said.contains("line 3") && said.contains(word), "{written}: {said}");
    }
    let text = "%%MatrixMarket matrix array complex general\n1 1\n1 0.5\n";
    let said = refusal(&["exact", "rank", &file("complex", text)]);
    assert!(said.contains("line 3") && said.contains("imaginary part 1/2"), "{said}");
    let said = refusal(&["exact", "solve", &singular, "--unchanged", "3"]);
    assert!(said.contains("--method dixon"), "{said}");
    let text = "%%MatrixMarket matrix coordinate real general\n100000 100000 1\n1 1 1\n";
    let said = refusal(&["exact", "rank", &file("large", text)]);
    assert!(said.contains("too large"), "{said}");
    let square = array("square", 2, &["2", "1", "1", "3"]);
    let said = refusal(&["exact", "solve", &square, &wide]);
    assert!(said.contains("2 rows") && said.contains("1 x 2"), "{said}");
}

#[test]
fn the_bench_checks_itself() {
    let found = object(&["bench", "exact", "--n", "40", "--runs", "1"]);
    assert_eq!((&found["n"], &found["checked_modulo"]), (&40.into(), &32_749.into()));
    for phase in ["bound", "elimination", "remainders", "all"] {
        assert!(
            found["seconds"][phase].as_f64().is_some_and(|seconds| seconds >= 0.0),
            "{phase}"
        );
    }
    assert!(found["digits"].as_u64().is_some_and(|digits| digits > 60), "{found}");
}
