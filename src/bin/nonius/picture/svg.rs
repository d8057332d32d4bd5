//! Lines and letters as SVG, and where letters lie.

use std::fmt::Write as _;

/// Lines of names below each other need so much.
pub(super) const LEADING: f64 = 17.0;

/// About the width of a text: DejaVu Sans has 0.6 of its size for most letters.
pub(super) fn width(text: &str, size: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a few letters")]
    let letters = text.chars().count() as f64;
    0.6 * size * letters
}

pub(super) fn line(
    svg: &mut String,
    points: impl IntoIterator<Item = (f64, f64)>,
    (colour, width): (&str, f64),
    attributes: &str,
) {
    let points: Vec<String> = points.into_iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    let points = points.join(" ");
    let _ = writeln!(
        svg,
        "<polyline points=\"{points}\" stroke=\"{colour}\" stroke-width=\"{width}\" {attributes}/>"
    );
}

pub(super) fn text(svg: &mut String, (x, y): (f64, f64), (size, colour, anchor): (f64, &str, &str), text: &str) {
    let text = escaped(text);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" fill=\"{colour}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

pub(super) fn escaped(text: &str) -> String {
    // XML has no control characters at all.
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Heights of names that keep their order and lie [`LEADING`] apart, each as near to where it wants as that allows.
pub(super) fn apart(wanted: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
    // Groups of names that touch, each centred on what its members want: (members, height of the first).
    let mut groups: Vec<(Vec<usize>, f64)> = Vec::new();
    #[expect(clippy::cast_precision_loss, reason = "four at most")]
    for name in order {
        let mut group = (vec![name], wanted[name]);
        while let Some((members, _)) = groups.pop_if(|last| last.1 + last.0.len() as f64 * LEADING > group.1) {
            group.0 = [members, group.0].concat();
            let offsets = group
                .0
                .iter()
                .enumerate()
                .map(|(i, name)| wanted[*name] - i as f64 * LEADING);
            group.1 = offsets.sum::<f64>() / group.0.len() as f64;
        }
        groups.push(group);
    }
    let mut heights = vec![0.0; wanted.len()];
    for (members, first) in groups {
        let mut at = first;
        for name in members {
            heights[name] = at;
            at += LEADING;
        }
    }
    heights
}
