//! Pictures of speed over size: of what tuning did, before and after, with the model and the limit; and of several curves.
//!
//! A picture is written as SVG, in which letters are outlines, and as PNG: both look the same on every machine.

mod axis;
mod cells;
mod svg;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nonius::{Error, Result};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, WriteOptions, fontdb};

use axis::{Axis, LETTERS, number};
pub(crate) use cells::CellPicture;
use svg::{apart, escaped, line, text, width};

/// One tuning, as a picture. Points are (N, speed); what is not finite is left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Picture {
    /// What was tuned: `gemv, f32`.
    pub(crate) title: String,
    /// Where: the device.
    pub(crate) subtitle: String,
    /// What N is: `rows and columns N`.
    pub(crate) x: String,
    /// The unit of speed: `GFLOP/s` or `GB/s`.
    pub(crate) unit: String,
    /// Before tuning, in grey.
    pub(crate) before: Vec<(f64, f64)>,
    /// After tuning, in colour.
    pub(crate) after: Vec<(f64, f64)>,
    /// What the fitted model says, as a line.
    pub(crate) model: Vec<(f64, f64)>,
    /// Anything else that has a name, each in a colour of its own.
    pub(crate) curves: Vec<(String, Vec<(f64, f64)>)>,
    /// Where rounds of the model end, and what they are called: `period 132`.
    pub(crate) periods: (Vec<f64>, String),
    /// What the device could do at best, and what it is called: `copy`.
    pub(crate) limit: Option<(f64, String)>,
}

/// Pixels of the SVG; the PNG has twice as many each way.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
const PNG_SCALE: f32 = 2.0;

/// The plot within.
const LEFT: f64 = 78.0;
const TOP: f64 = 100.0;
const BOTTOM: f64 = HEIGHT - 66.0;
/// Room on the right for the names of the series, beyond what they take.
const RIGHT: f64 = 34.0;

const FONT: &str = "DejaVu Sans";
const INK: &str = "#222222";
const FAINT: &str = "#6b6b6b";
const HAIR: &str = "#e6e6e6";
const BEFORE: &str = "#909090";
const AFTER: &str = "#1664a0";
const MODEL: &str = "#d9622b";
/// Of further curves.
const CURVES: [&str; 4] = ["#1664a0", "#d9622b", "#2e8b57", "#8a4fa0"];

/// A line, and what stands at its right end.
struct Series<'a> {
    name: &'a str,
    colour: &'static str,
    /// Of the line between points, if there is one.
    width: Option<f64>,
    /// Of a dot on each of them, if there is one.
    radius: Option<f64>,
    points: Vec<(f64, f64)>,
}

impl Picture {
    /// Writes `path.svg` and `path.png`, and says so.
    ///
    /// # Errors
    /// [`Error::Shape`] when there is nothing to draw, [`Error::File`].
    pub(crate) fn write(&self, path: &Path) -> Result<[PathBuf; 2]> {
        let drawn = self.draw()?;
        let with = |extension: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(extension);
            PathBuf::from(name)
        };
        let (svg, png) = (with(".svg"), with(".png"));
        let refused = |path: &Path, reason: String| Error::File {
            path: path.to_owned(),
            reason,
        };
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        let options = Options {
            font_family: FONT.to_owned(),
            fontdb: Arc::new(fonts),
            ..Options::default()
        };
        let tree = Tree::from_str(&drawn, &options).map_err(|error| refused(&svg, error.to_string()))?;
        let outlines = tree.to_string(&WriteOptions {
            coordinates_precision: 3,
            transforms_precision: 5,
            ..WriteOptions::default()
        });
        // What readers of screens say, and browsers beside the pointer; it gets lost with the letters.
        let title = format!(
            "<title>{}</title>",
            escaped(&format!("{}, {}", self.title, self.subtitle))
        );
        let outlines = outlines.replacen('>', &format!(">{title}"), 1);
        fs::write(&svg, outlines).map_err(|error| refused(&svg, error.to_string()))?;
        let size = tree.size().to_int_size().scale_by(PNG_SCALE);
        let mut pixels = size
            .and_then(|size| Pixmap::new(size.width(), size.height()))
            .ok_or_else(|| refused(&png, "it has no size".to_owned()))?;
        resvg::render(&tree, Transform::from_scale(PNG_SCALE, PNG_SCALE), &mut pixels.as_mut());
        let encoded = pixels.encode_png().map_err(|error| refused(&png, error.to_string()))?;
        fs::write(&png, encoded).map_err(|error| refused(&png, error.to_string()))?;
        Ok([svg, png])
    }

    /// In the order in which they are drawn. Where there is a model, what was measured are dots on or beside its line.
    fn series(&self) -> Vec<Series<'_>> {
        let finite = |points: &[(f64, f64)]| {
            let finite = points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite());
            let mut points: Vec<_> = finite.collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let (before, after, model) = (finite(&self.before), finite(&self.after), finite(&self.model));
        let radius = |points: &[(f64, f64)]| match points.len() {
            0..=60 => Some(2.3),
            61..=160 => Some(1.7),
            _ => None,
        };
        let all = [
            Series {
                name: "before",
                colour: BEFORE,
                width: Some(1.1),
                radius: radius(&before),
                points: before,
            },
            Series {
                name: "model",
                colour: MODEL,
                width: Some(1.2),
                radius: None,
                points: model.clone(),
            },
            Series {
                name: "after",
                colour: AFTER,
                width: model.is_empty().then_some(1.4),
                radius: radius(&after).or((!model.is_empty()).then_some(1.2)),
                points: after,
            },
        ];
        let curves = self.curves.iter().zip(CURVES.iter().cycle());
        let curves = curves.map(|((name, points), colour)| Series {
            name,
            colour,
            width: Some(1.4),
            radius: radius(points),
            points: finite(points),
        });
        all.into_iter()
            .chain(curves)
            .filter(|series| !series.points.is_empty())
            .collect()
    }

    /// The SVG with letters as text.
    fn draw(&self) -> Result<String> {
        let series = self.series();
        let points = || series.iter().flat_map(|series| &series.points);
        let nothing = || Error::Shape {
            operation: "a picture",
            expected: "points".to_owned(),
            found: "none".to_owned(),
        };
        if series.is_empty() {
            return Err(nothing());
        }
        let limit = self
            .limit
            .as_ref()
            .filter(|(value, _)| value.is_finite() && *value > 0.0);
        let limit_name = limit.map_or(String::new(), |(value, name)| {
            format!("{name} {}", number(*value, usize::from(*value < 100.0)))
        });
        let (_, top) = span(points().map(|point| point.1).chain(limit.map(|limit| limit.0))).ok_or_else(nothing)?;
        let names = series.iter().map(|series| series.name).chain([limit_name.as_str()]);
        let widest = names.map(|name| width(name, 13.0)).fold(0.0, f64::max);
        let right = WIDTH - RIGHT - widest;
        let x = Axis::across(points().map(|point| point.0).collect(), LEFT, right);
        let y = Axis::up(top, BOTTOM, TOP);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"{FONT}\" fill=\"none\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        text(&mut svg, (LEFT, 36.0), (18.0, INK, "start"), &self.title);
        text(&mut svg, (LEFT, 57.0), (13.0, FAINT, "start"), &self.subtitle);
        self.axes(&mut svg, &x, &y);
        self.marks(&mut svg, &x);
        // Names of what lies at the right end: from the top down, none on another.
        let mut ends = Vec::new();
        if let Some((value, _)) = limit {
            let at = y.at(*value);
            line(
                &mut svg,
                [(LEFT, at), (right, at)],
                (INK, 1.0),
                "stroke-dasharray=\"7 5\"",
            );
            ends.push((at, INK, limit_name.as_str()));
        }
        for series in &series {
            ends.push((y.at(series.end()), series.colour, series.name));
            series.draw(&mut svg, &x, &y);
        }
        let wanted: Vec<f64> = ends.iter().map(|end| end.0).collect();
        for ((_, colour, name), at) in ends.iter().zip(apart(&wanted)) {
            text(&mut svg, (right + 12.0, at + 4.5), (13.0, colour, "start"), name);
        }
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    fn axes(&self, svg: &mut String, x: &Axis, y: &Axis) {
        for tick in &y.ticks {
            let at = y.at(*tick);
            if *tick > 0.0 {
                line(svg, [(x.from, at), (x.to, at)], (HAIR, 1.0), "");
            }
            text(
                svg,
                (x.from - 10.0, at + 4.5),
                (LETTERS, FAINT, "end"),
                &number(*tick, y.digits),
            );
        }
        line(svg, [(x.from, y.from), (x.to, y.from)], (INK, 1.0), "");
        for tick in &x.ticks {
            let at = x.at(*tick);
            line(svg, [(at, y.from), (at, y.from + 5.0)], (INK, 1.0), "");
            text(
                svg,
                (at, y.from + 21.0),
                (LETTERS, FAINT, "middle"),
                &number(*tick, x.digits),
            );
        }
        text(
            svg,
            ((x.from + x.to) / 2.0, y.from + 46.0),
            (13.0, INK, "middle"),
            &self.x,
        );
        text(svg, (x.from - 10.0, TOP - 18.0), (13.0, INK, "end"), &self.unit);
    }

    /// Hairs where rounds end, and one name for all of them.
    fn marks(&self, svg: &mut String, x: &Axis) {
        let (positions, name) = &self.periods;
        let within = positions.iter().filter(|at| (x.low..=x.high).contains(*at));
        let at: Vec<f64> = within.map(|at| x.at(*at)).collect();
        let narrow = at.windows(2).any(|pair| pair[1] - pair[0] < 9.0);
        for at in &at {
            // Hairs that would become a wall are ticks.
            let end = if narrow { TOP + 7.0 } else { BOTTOM };
            line(
                svg,
                [(*at, TOP), (*at, end)],
                ("#b9b9b9", 0.8),
                "stroke-dasharray=\"1.5 3\"",
            );
        }
        if let Some(first) = at.first() {
            // Over the first, or as far right as it fits.
            let place = first.min(x.to - width(name, 11.5)).max(x.from);
            text(svg, (place, TOP - 6.0), (11.5, FAINT, "start"), name);
        }
    }
}

impl Series<'_> {
    fn draw(&self, svg: &mut String, x: &Axis, y: &Axis) {
        let at: Vec<(f64, f64)> = self.points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
        if let Some(width) = self.width {
            line(svg, at.iter().copied(), (self.colour, width), "");
        }
        let Some(radius) = self.radius else { return };
        for (x, y) in at {
            let colour = self.colour;
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{colour}\"/>"
            );
        }
    }

    /// The speed at the right end: of a saw, the mean of the last few teeth's points.
    fn end(&self) -> f64 {
        let last = &self.points[self.points.len() - self.points.len().div_ceil(25)..];
        #[expect(clippy::cast_precision_loss, reason = "a few points")]
        let count = last.len() as f64;
        last.iter().map(|point| point.1).sum::<f64>() / count
    }
}

/// The least and the greatest.
fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |span, value| {
        let (low, high) = span.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use resvg::usvg::roxmltree::Document;

    /// Speeds of a device that works in rounds of 132 x 8 rows.
    fn saw() -> Picture {
        let time = |n: f64, base: f64, round: f64| base + n * n * 1e-12 + (n / 1056.0).ceil() * round;
        let speed = |n: f64, base, round| 8.0 * n * n * 1e-9 / 2.0 / time(n, base, round);
        let sizes: Vec<f64> = (1..=160).map(|k| f64::from(k) * 51.2).collect();
        let noise = |n: f64| 1.0 + 0.012 * (n * 12.9898).sin();
        Picture {
            title: "Matrix–vector product, f32, square".to_owned(),
            subtitle: "Made-up device <one & only> · 132 units".to_owned(),
            x: "rows and columns N".to_owned(),
            unit: "GB/s".to_owned(),
            before: sizes
                .iter()
                .step_by(2)
                .map(|n| (*n, 0.55 * speed(*n, 9e-6, 9e-6) * noise(n + 1.0)))
                .collect(),
            after: sizes
                .iter()
                .step_by(2)
                .map(|n| (*n, speed(*n, 5e-6, 6e-6) * noise(*n)))
                .collect(),
            model: sizes.iter().map(|n| (*n, speed(*n, 5e-6, 6e-6))).collect(),
            periods: (
                (1..9).map(|k| f64::from(k) * 1056.0).collect(),
                "period 1,056".to_owned(),
            ),
            limit: Some((2900.0, "copy".to_owned())),
            curves: Vec::new(),
        }
    }

    /// A place for this run's pictures, each of which is removed when all is well with it.
    fn directory() -> PathBuf {
        let directory = std::env::temp_dir().join("nonius-pictures");
        fs::create_dir_all(&directory).expect("it can be made");
        directory
    }

    fn is_whole(picture: &Picture, name: &str) -> Pixmap {
        let path = directory().join(format!("{name}-{}", std::process::id()));
        let [svg, png] = picture.write(&path).expect("it can be written");
        let svg = fs::read_to_string(svg).expect("it is there");
        let parsed = Document::parse(&svg).expect("it is XML");
        let paths = parsed.descendants().filter(|node| node.has_tag_name("path")).count();
        assert!(paths > 20, "{paths}");
        // Nothing that another machine may not have.
        for foreign in ["<text", "font-family", "href", "http:"] {
            let count = svg.replace("http://www.w3.org/2000/svg", "").matches(foreign).count();
            assert_eq!(count, 0, "{foreign}");
        }
        let pixels = Pixmap::decode_png(&fs::read(png).expect("it is there")).expect("it is a PNG");
        assert_eq!((pixels.width(), pixels.height()), (1920, 1080));
        for extension in ["svg", "png"] {
            fs::remove_file(path.with_extension(extension)).expect("it is there");
        }
        pixels
    }

    /// Pixels of about this colour.
    fn count(pixels: &Pixmap, colour: &str) -> usize {
        let part = |at: usize| u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits");
        let wanted = [part(1), part(3), part(5)];
        let near = |found: [u8; 3]| wanted.iter().zip(found).all(|(a, b)| a.abs_diff(b) < 8);
        let pixels = pixels.pixels().iter();
        pixels
            .filter(|pixel| near([pixel.red(), pixel.green(), pixel.blue()]))
            .count()
    }

    #[test]
    fn everything_is_drawn() {
        let pixels = is_whole(&saw(), "saw");
        for colour in [BEFORE, AFTER, MODEL, HAIR, INK] {
            assert!(count(&pixels, colour) > 300, "{colour}: {}", count(&pixels, colour));
        }
        assert!(count(&pixels, "#ffffff") > pixels.pixels().len() / 2);
    }

    #[test]
    fn curves_have_colours_of_their_own() {
        let curve = |k: u32| {
            let points = (5..12).map(|n| (2.0_f64.powi(n), f64::from(k * 100) * f64::from(n)));
            (format!("I{k}"), points.collect())
        };
        let picture = Picture {
            title: "curves".to_owned(),
            unit: "GFLOP/s".to_owned(),
            curves: (1..=4).map(curve).collect(),
            ..Picture::default()
        };
        let pixels = is_whole(&picture, "curves");
        for colour in CURVES {
            assert!(count(&pixels, colour) > 300, "{colour}: {}", count(&pixels, colour));
        }
    }

    #[test]
    fn what_is_not_there_is_not_drawn() {
        let picture = Picture {
            model: Vec::new(),
            limit: None,
            periods: (Vec::new(), String::new()),
            before: vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)],
            ..saw()
        };
        let pixels = is_whole(&picture, "plain");
        assert_eq!(count(&pixels, MODEL), 0);
        assert!(count(&pixels, AFTER) > 300);
        let nothing = Picture {
            after: Vec::new(),
            ..picture
        };
        assert!(nothing.write(Path::new("never")).is_err());
    }

    #[test]
    fn odd_numbers_have_a_picture() {
        let of = |points: &[(f64, f64)]| Picture {
            after: points.to_vec(),
            ..Picture::default()
        };
        for (i, points) in [
            &[(1.0, 1.0)][..],
            &[(5.0, 0.0), (7.0, 0.0)],
            &[(1e-9, 1e-9), (2e-9, 1e15)],
            &[(64.0, 0.003), (65_536.0, 0.007)],
            &[(-3.0, -5.0), (3.0, 5.0)],
        ]
        .into_iter()
        .enumerate()
        {
            let written = of(points).write(&directory().join(format!("odd{i}-{}", std::process::id())));
            for path in written.expect("it can be written") {
                fs::remove_file(path).expect("it is there");
            }
        }
    }

    #[test]
    fn names_do_not_lie_on_each_other() {
        use svg::LEADING;
        let found = apart(&[100.0, 101.0, 300.0, 102.0]);
        assert_eq!(found, [101.0 - LEADING, 101.0, 300.0, 101.0 + LEADING]);
        assert_eq!(apart(&[10.0]), [10.0]);
    }
}
