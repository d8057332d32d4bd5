//! Loops that must be written out: WGSL has no word for it, and not every compiler does it by itself.
//!
//! An array that is indexed by a loop's variable lives in memory; only one that is indexed by constants can live in
//! registers. So a kernel marks such a loop, and its body is repeated, with the variable as a constant:
//!
//! ```wgsl
//! for (var i = 0u; i < ROWS; i++) { // unrolled
//!     sum[i] = SCALAR_ZERO;
//! }
//! ```
//!
//! becomes `{ const i = 0u; sum[i] = SCALAR_ZERO; }`, and so on. The marked text is WGSL as it stands, means the same,
//! and has the loop's brace on a line of its own, at the indentation of the `for`. There is no `break` or `continue` in it.
//!
//! A loop marked `// unrolled to 12` is written out where that makes at most 12 copies, and stays where it makes more, or
//! where its bounds are not constants: for arrays whose length is a choice, and too long for registers beyond some.

use std::collections::HashMap;

/// Where a line came from: a path below `shaders/`, and the line there, counted from 1.
pub(super) type Origin = (&'static str, usize);

const MARK: &str = "{ // unrolled";
const LIMITED: &str = "{ // unrolled to ";

/// The lines, with the marked loops written out. Bounds are expressions of `u32` constants that the lines declare, and of
/// the variables of marked loops around them.
pub(super) fn unroll(lines: Vec<(Origin, String)>) -> Vec<(Origin, String)> {
    let constants = constants(&lines);
    let mut unrolled = Vec::with_capacity(lines.len());
    write_out(&lines, &constants, &mut unrolled);
    unrolled
}

fn write_out(lines: &[(Origin, String)], constants: &HashMap<String, u32>, out: &mut Vec<(Origin, String)>) {
    let mut at = 0;
    while let Some((origin, line)) = lines.get(at) {
        let Some(range) = range(line, constants) else {
            out.push((*origin, line.clone()));
            at += 1;
            continue;
        };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let length = lines[at..].iter().position(|(_, line)| *line == end);
        let length = length.unwrap_or_else(|| unreachable!("{}:{} has its brace below it", origin.0, origin.1));
        for value in range.values {
            out.push((*origin, format!("{indent}{{ const {} = {value}u;", range.variable)));
            // A loop inside may count to the variable.
            let mut inside = constants.clone();
            inside.insert(range.variable.clone(), value);
            write_out(&lines[at + 1..at + length], &inside, out);
            out.push((lines[at + length].0, end.clone()));
        }
        at += length + 1;
    }
}

struct Range {
    variable: String,
    values: Vec<u32>,
}

/// What a marked line counts through; none for any other line, and for a loop that stays.
fn range(line: &str, constants: &HashMap<String, u32>) -> Option<Range> {
    let line = line.trim();
    if let Some((header, limit)) = line.split_once(LIMITED) {
        let limit: usize = limit
            .parse()
            .unwrap_or_else(|_| unreachable!("{line:?} says how many copies there may be"));
        return counted(header.trim_end(), constants).filter(|range| range.values.len() <= limit);
    }
    let header = line.strip_suffix(MARK)?.trim_end();
    let range = counted(header, constants);
    Some(range.unwrap_or_else(|| unreachable!("{header:?} counts from a constant to a constant")))
}

/// What a loop counts through, if its bounds are constants.
fn counted(header: &str, constants: &HashMap<String, u32>) -> Option<Range> {
    let header = header.strip_prefix("for (var ")?.strip_suffix(')')?;
    let mut parts = header.split("; ");
    let (variable, first) = parts.next()?.split_once(" = ")?;
    let last = parts.next()?.strip_prefix(variable)?.strip_prefix(" < ")?;
    let step = parts.next()?.strip_prefix(variable)?;
    let step = if step == "++" {
        Some(1)
    } else {
        evaluate(step.strip_prefix(" += ")?, constants)
    }?;
    let (first, last) = (evaluate(first, constants)?, evaluate(last, constants)?);
    let values = (first..last).step_by(step as usize).collect();
    Some(Range {
        variable: variable.to_owned(),
        values,
    })
}

/// The values of `const NAME: u32 = …;` at the beginning of a line, as far as they are made of integers and each other.
fn constants(lines: &[(Origin, String)]) -> HashMap<String, u32> {
    let mut constants = HashMap::new();
    // Declarations stand in any order.
    loop {
        let before = constants.len();
        for (_, line) in lines {
            let declared = (|| {
                let (name, value) = line.strip_prefix("const ")?.split_once(": u32 = ")?;
                let value = evaluate(value.split_once(';')?.0, &constants)?;
                Some((name.to_owned(), value))
            })();
            constants.extend(declared);
        }
        if constants.len() == before {
            return constants;
        }
    }
}

/// Integers, names, `+ - * /` and parentheses; none for anything else.
fn evaluate(text: &str, constants: &HashMap<String, u32>) -> Option<u32> {
    let mut rest = text;
    let value = sum(&mut rest, constants)?;
    rest.trim().is_empty().then_some(value)
}

fn sum(rest: &mut &str, constants: &HashMap<String, u32>) -> Option<u32> {
    let mut value = product(rest, constants)?;
    loop {
        value = if skip(rest, '+') {
            value.checked_add(product(rest, constants)?)?
        } else if skip(rest, '-') {
            value.checked_sub(product(rest, constants)?)?
        } else {
            return Some(value);
        };
    }
}

fn product(rest: &mut &str, constants: &HashMap<String, u32>) -> Option<u32> {
    let mut value = term(rest, constants)?;
    loop {
        value = if skip(rest, '*') {
            value.checked_mul(term(rest, constants)?)?
        } else if skip(rest, '/') {
            value.checked_div(term(rest, constants)?)?
        } else {
            return Some(value);
        };
    }
}

fn term(rest: &mut &str, constants: &HashMap<String, u32>) -> Option<u32> {
    if skip(rest, '(') {
        let value = sum(rest, constants)?;
        return skip(rest, ')').then_some(value);
    }
    let text = rest.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    *rest = after;
    word.trim_end_matches('u')
        .parse()
        .ok()
        .or_else(|| constants.get(word).copied())
}

fn skip(rest: &mut &str, wanted: char) -> bool {
    let after = rest.trim_start().strip_prefix(wanted);
    *rest = after.unwrap_or(rest);
    after.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unrolled(text: &str) -> (Vec<String>, Vec<usize>) {
        let lines = text
            .lines()
            .zip(1..)
            .map(|(line, at)| (("test", at), line.to_owned()))
            .collect();
        let (origins, lines): (Vec<_>, Vec<_>) = unroll(lines).into_iter().unzip();
        (lines, origins.into_iter().map(|(_, line)| line).collect())
    }

    #[test]
    fn nested_loops_are_written_out_and_remember_their_lines() {
        let text = "\
const COLS: u32 = ROWS * 2u - 2u;
const ROWS: u32 = 2u;
for (var i = 0u; i < ROWS; i++) { // unrolled
    for (var j = 1u; j < COLS * (ROWS + 1) / 3u + 1u; j += COLS) { // unrolled
        f(i, j);
    }
}
g();";
        let (lines, origins) = unrolled(text);
        let expected = "\
const COLS: u32 = ROWS * 2u - 2u;
const ROWS: u32 = 2u;
{ const i = 0u;
    { const j = 1u;
        f(i, j);
    }
}
{ const i = 1u;
    { const j = 1u;
        f(i, j);
    }
}
g();";
        assert_eq!(lines, expected.lines().collect::<Vec<_>>());
        assert_eq!(origins, [1, 2, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn limited_loops_are_written_out_up_to_their_limit() {
        let text = |length: u32| {
            format!(
                "const N: u32 = {length}u;\n\
                 for (var i = 0u; i < N; i++) {{ // unrolled to 2\n    \
                     for (var j = i + 1u; j < N; j++) {{ // unrolled to 2\n        \
                         f(i, j);\n    \
                     }}\n\
                 }}"
            )
        };
        let expected = "\
const N: u32 = 2u;
{ const i = 0u;
    { const j = 1u;
        f(i, j);
    }
}
{ const i = 1u;
}";
        assert_eq!(unrolled(&text(2)).0, expected.lines().collect::<Vec<_>>());
        assert_eq!(unrolled(&text(3)).0, text(3).lines().collect::<Vec<_>>());
    }

    #[test]
    fn other_loops_stay() {
        let text = "for (var i = 0u; i < n; i++) {\n}";
        assert_eq!(unrolled(text).0, text.lines().collect::<Vec<_>>());
    }

    #[test]
    fn expressions_follow_their_priorities() {
        let constants = HashMap::from([("A".to_owned(), 12)]);
        for (text, value) in [
            ("A", Some(12)),
            ("2u + 3u * A", Some(38)),
            ("(2u + 3u) * A / 7u", Some(8)),
            ("A - 1u - 2u", Some(9)),
            ("1u - A", None),
            ("A / 0u", None),
            ("B", None),
            ("A A", None),
            ("max(A, 1u)", None),
        ] {
            assert_eq!(evaluate(text, &constants), value, "{text}");
        }
    }
}
