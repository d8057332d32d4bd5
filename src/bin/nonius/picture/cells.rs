//! The cells of an implicit plot: crossed black, undecided blue, empty white, as `graphest` has them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use nonius::plot::{Cell, Cells, Grid, Rational};
use nonius::{Error, Result};
use num_traits::ToPrimitive;
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{Options, Tree, WriteOptions, fontdb};

use crate::output::check_folder_of;

use super::axis::{even_ticks, number};
use super::svg::{escaped, line, text};
use super::{FAINT, FONT, INK};

/// One plot as a picture.
pub(crate) struct CellPicture<'a> {
    pub(crate) cells: &'a Cells,
    pub(crate) grid: &'a Grid,
    pub(crate) title: &'a str,
    /// Whether a frame with numbers is drawn around the cells, and the axes behind them.
    pub(crate) axes: bool,
    /// Pixels of a cell's side.
    pub(crate) scale: Option<u32>,
}

const BLACK: [u8; 3] = [0, 0, 0];
const BLUE: [u8; 3] = [0x2a, 0x7d, 0xff];
/// The axes lie behind the cells, and are no answer of their own.
const AXIS: &str = "#cfcfcf";

/// Pixels that a picture with axes has at least, the longer way.
const ROOM: usize = 480;
/// Pixels each way that a picture has at most: 1 GiB of them.
const MOST: usize = 16_384;

/// What surrounds the cells, in pixels.
struct Margins {
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
}

/// Where the cells lie in the picture.
struct Layout {
    scale: usize,
    margins: Margins,
    width: usize,
    height: usize,
}

impl Layout {
    fn of(path: &Path, grid: &Grid, axes: bool, scale: Option<u32>) -> Result<Self> {
        let longer = grid.width().max(grid.height());
        let scale = match scale {
            Some(scale) => scale as usize,
            None if axes => ROOM.div_ceil(longer),
            None => 1,
        };
        let margins = if axes {
            Margins {
                left: 64,
                right: 24,
                top: 16,
                bottom: 36,
            }
        } else {
            Margins {
                left: 0,
                right: 0,
                top: 0,
                bottom: 0,
            }
        };
        let width = grid
            .width()
            .saturating_mul(scale)
            .saturating_add(margins.left + margins.right);
        let height = grid
            .height()
            .saturating_mul(scale)
            .saturating_add(margins.top + margins.bottom);
        if scale == 0 || width > MOST || height > MOST {
            return Err(refused(
                path,
                format!("a picture of {width} x {height} pixels, where 1 to {MOST} are possible each way"),
            ));
        }
        Ok(Self {
            scale,
            margins,
            width,
            height,
        })
    }
}

impl CellPicture<'_> {
    /// Whether such a picture can be made, as far as that is known beforehand.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn check(path: &Path, grid: &Grid, axes: bool, scale: Option<u32>) -> Result<()> {
        Layout::of(path, grid, axes, scale)?;
        extension(path)?;
        check_folder_of(path)
    }

    /// Writes a `.png` or a `.svg`.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let layout = Layout::of(path, self.grid, self.axes, self.scale)?;
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        let options = Options {
            font_family: FONT.to_owned(),
            fontdb: Arc::new(fonts),
            ..Options::default()
        };
        let behind = self.behind(&layout);
        let tree = Tree::from_str(&behind, &options).map_err(|error| refused(path, error.to_string()))?;
        let encoded = match extension(path)? {
            Kind::Svg => self.svg(&tree, &layout).into_bytes(),
            Kind::Png => self.png(path, &tree, &layout)?,
        };
        fs::write(path, encoded).map_err(|error| refused(path, error.to_string()))
    }

    /// Everything that lies behind the cells, as SVG with letters as text.
    fn behind(&self, layout: &Layout) -> String {
        let Layout {
            margins, width, height, ..
        } = layout;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" fill=\"none\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        if !self.axes {
            return svg + "</svg>\n";
        }
        let pixel = |pixels: usize| f64::from(u32::try_from(pixels).unwrap_or(u32::MAX));
        let (left, right) = (pixel(margins.left), pixel(width - margins.right));
        let (top, bottom) = (pixel(margins.top), pixel(height - margins.bottom));
        let (x, y) = (
            Scale::of(self.grid.view().x(), left, right),
            Scale::of(self.grid.view().y(), bottom, top),
        );
        if let Some(at) = x.zero() {
            line(&mut svg, [(at, top), (at, bottom)], (AXIS, 1.0), "");
        }
        if let Some(at) = y.zero() {
            line(&mut svg, [(left, at), (right, at)], (AXIS, 1.0), "");
        }
        // The frame's line lies outside the cells.
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        let signs = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        let mut frame: Vec<_> = corners
            .iter()
            .zip(signs)
            .map(|(at, by)| (at.0 + by.0, at.1 + by.1))
            .collect();
        frame.push(frame[0]);
        line(&mut svg, frame, (FAINT, 1.0), "");
        for (at, label) in x.ticks(70.0) {
            line(&mut svg, [(at, bottom + 1.0), (at, bottom + 6.0)], (FAINT, 1.0), "");
            text(&mut svg, (at, bottom + 21.0), (12.0, INK, "middle"), &label);
        }
        for (at, label) in y.ticks(50.0) {
            line(&mut svg, [(left - 6.0, at), (left - 1.0, at)], (FAINT, 1.0), "");
            text(&mut svg, (left - 10.0, at + 4.0), (12.0, INK, "end"), &label);
        }
        svg + "</svg>\n"
    }

    /// Runs of cells of one kind: (column, row from above, length), for each kind that is drawn.
    fn runs(&self, wanted: Cell) -> Vec<(usize, usize, usize)> {
        let mut runs = Vec::new();
        for (row, cells) in self.cells.rows().rev().enumerate() {
            let mut column = 0;
            for run in cells.chunk_by(|a, b| a == b) {
                if run[0] == wanted {
                    runs.push((column, row, run.len()));
                }
                column += run.len();
            }
        }
        runs
    }

    fn svg(&self, behind: &Tree, layout: &Layout) -> String {
        let mut svg = behind.to_string(&WriteOptions::default());
        let title = format!("<title>{}</title>", escaped(self.title));
        svg = svg.replacen('>', &format!(">{title}"), 1);
        svg.truncate(svg.rfind("</svg>").unwrap_or(svg.len()));
        let (scale, margins) = (layout.scale, &layout.margins);
        let _ = writeln!(
            svg,
            "<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({scale})\">",
            margins.left, margins.top
        );
        for (kind, colour) in [(Cell::Crossed, BLACK), (Cell::Undecided, BLUE)] {
            let [red, green, blue] = colour;
            let _ = write!(svg, "<path fill=\"#{red:02x}{green:02x}{blue:02x}\" d=\"");
            for (column, row, length) in self.runs(kind) {
                let _ = write!(svg, "M{column} {row}h{length}v1h-{length}z");
            }
            svg.push_str("\"/>\n");
        }
        svg + "</g>\n</svg>\n"
    }

    fn png(&self, path: &Path, behind: &Tree, layout: &Layout) -> Result<Vec<u8>> {
        let size = |pixels: usize| u32::try_from(pixels).ok();
        let pixmap = size(layout.width)
            .zip(size(layout.height))
            .and_then(|(w, h)| Pixmap::new(w, h));
        let mut pixmap = pixmap.ok_or_else(|| refused(path, "it has no size".to_owned()))?;
        resvg::render(behind, Transform::default(), &mut pixmap.as_mut());
        let pixels = pixmap.pixels_mut();
        for (kind, [red, green, blue]) in [(Cell::Crossed, BLACK), (Cell::Undecided, BLUE)] {
            let Some(colour) = PremultipliedColorU8::from_rgba(red, green, blue, 255) else {
                continue;
            };
            for (column, row, length) in self.runs(kind) {
                let begin = layout.margins.left + column * layout.scale;
                for y in 0..layout.scale {
                    let line = (layout.margins.top + row * layout.scale + y) * layout.width;
                    pixels[line + begin..line + begin + length * layout.scale].fill(colour);
                }
            }
        }
        pixmap.encode_png().map_err(|error| refused(path, error.to_string()))
    }
}

/// One axis: numbers to pixels.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn of((low, high): (&Rational, &Rational), from: f64, to: f64) -> Self {
        Self {
            low: approximate(low),
            high: approximate(high),
            from,
            to,
        }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    fn zero(&self) -> Option<f64> {
        (self.low < 0.0 && self.high > 0.0).then(|| self.at(0.0))
    }

    /// Round numbers about so many pixels apart; none where doubles cannot tell them apart.
    fn ticks(&self, apart: f64) -> Vec<(f64, String)> {
        let largest = self.low.abs().max(self.high.abs());
        if !(self.high - self.low > 1e-9 * largest && largest < 1e9) {
            return Vec::new();
        }
        let (ticks, digits) = even_ticks(self.low, self.high, ((self.to - self.from).abs() / apart).max(2.0));
        ticks
            .into_iter()
            .map(|tick| (self.at(tick), number(tick, digits)))
            .collect()
    }
}

/// The double near a fraction; the bits that both parts have beyond a double's range are left out.
fn approximate(value: &Rational) -> f64 {
    let beyond = value.numer().bits().max(value.denom().bits()).saturating_sub(1000);
    let part = |part: &num_bigint::BigInt| (part >> beyond).to_f64().unwrap_or(f64::NAN);
    part(value.numer()) / part(value.denom())
}

enum Kind {
    Png,
    Svg,
}

fn extension(path: &Path) -> Result<Kind> {
    let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
    match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("png") => Ok(Kind::Png),
        Some("svg") => Ok(Kind::Svg),
        _ => Err(refused(path, "a picture's name ends in .png or .svg".to_owned())),
    }
}

fn refused(path: &Path, reason: String) -> Error {
    Error::File {
        path: path.to_owned(),
        reason,
    }
}
