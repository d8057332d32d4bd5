//! One product: held to the host's in CSR, with the matrix as it came, and then timed.

use std::time::Instant;

use nonius::dense::{Matrix, Vector};
use nonius::device::AdapterKind;
use nonius::device::precision::{Precision, Width};
use nonius::sparse::{self, Csr, DeviceMatrix, Footprint, Format, Stored, spmm, spmv};
use nonius::tuning::{Family, Shape, Variant};
use nonius::{Blocking, Device, Error, Result, Scalar};
use serde_json::{Value, json};

use super::{Arguments, Input};
use crate::bench::copies::Moved;
use crate::bench::sample;
use crate::print;

/// Formats that take so many times CSR's bytes are left out where many are measured: they measure padding.
pub(super) const MOST_PADDING: u64 = 8;

/// A matrix in one scalar, and what products with it are held against: those of the host in CSR, in the order in which the
/// matrix came, and how far from them others may be.
pub(super) struct Reference<'a, T> {
    input: &'a Input,
    matrix: Csr<T>,
    x: Vec<T>,
    product: Vec<T>,
    bound: Vec<f64>,
}

/// One format in one scalar.
pub(super) struct Figure {
    scalar: &'static str,
    pub(super) format: Format,
    /// Of the matrix.
    pub(super) bytes: u64,
    /// The same before it was renumbered.
    pub(super) before: Option<u64>,
    /// The matrix, on the host without padding, x and y, each once.
    pub(super) moved: Moved,
    /// Multiply-adds.
    products: usize,
    /// How a GPU sums rows.
    kernel: Option<String>,
    /// From CSR, on the host.
    conversion: f64,
    upload: f64,
}

/// Whether a format is mostly padding.
pub(super) fn is_padding(footprint: &Footprint, format: Format, value_bytes: u64) -> bool {
    let [bytes, csr_bytes] = [format, Format::Csr].map(|format| footprint.bytes(format, value_bytes));
    bytes / MOST_PADDING > csr_bytes
}

/// Why a format was not measured; other errors end the bench.
pub(super) fn not_measured(error: Error) -> Result<String> {
    match error {
        Error::Shape { expected, found, .. } => Ok(format!("expected {expected}, found {found}")),
        Error::TooLarge { .. } | Error::OutOfMemory { .. } => Ok(error.to_string()),
        error => Err(error),
    }
}

/// By what a column of X is x: powers of two, so that products differ among columns and are as exact.
fn factor(column: usize) -> f64 {
    [1.0, -0.5, 0.25, -2.0, 4.0][column % 5]
}

impl<'a, T: Scalar> Reference<'a, T> {
    pub(super) fn of(input: &'a Input) -> Result<Self> {
        let original = match &input.before {
            Some(before) => before.matrix.map(T::from_f64),
            None => input.matrix.map(T::from_f64),
        };
        // The host is asked for x and its magnitudes first: few entries may have many columns.
        drop(Vector::<T>::zeros(&Device::host(), original.cols().saturating_mul(2))?);
        let x: Vec<T> = sample::values(original.cols(), 2);
        let multiply = |matrix: &Csr<T>, x: &[T]| -> Result<Vec<T>> {
            let mut y = vec![T::zero(); matrix.rows()];
            matrix.multiply(T::one(), x, T::zero(), &mut y)?;
            Ok(y)
        };
        let product = multiply(&original, &x)?;
        let magnitudes: Vec<T> = x.iter().map(|x| x.abs()).collect();
        let scale = multiply(&original.map(|value| value.abs()), &magnitudes)?;
        // Both err by gamma_k |A||x| at most, in whatever order (Higham 2002, section 3.5), and so does this scale itself.
        let k = (input.footprint.longest + 3) as f64 * T::ROUNDING;
        let gamma = if k < 0.5 { k / (1.0 - k) } else { f64::INFINITY };
        // What a device may flush to zero of each term, whose factor in x is 1 at most.
        let lost = (input.footprint.longest + 1) as f64 * 1.0.scale_exponent(T::MIN_EXPONENT);
        let bound = scale
            .iter()
            .map(|scale| 2.0 * gamma * scale.to_f64() * (1.0 + gamma) + lost)
            .collect::<Vec<f64>>();
        // An infinite bound would let anything pass.
        if let Some(row) = bound.iter().position(|bound| !bound.is_finite()) {
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: format!(
                    "a matrix whose products are finite in {}, so that they can be checked",
                    T::NAME
                ),
                found: format!("{} as the sum of |A||x| in row {row}", scale[row]),
            });
        }
        let matrix = match &input.before {
            Some(_) => input.matrix.map(T::from_f64),
            None => original,
        };
        Ok(Self {
            input,
            matrix,
            x,
            product,
            bound,
        })
    }

    /// The time of a product in this format. With `sparing`, not in one that is mostly padding.
    pub(super) fn measure(
        &self,
        device: &Device,
        format: Format,
        arguments: &Arguments,
        sparing: bool,
    ) -> Result<Figure> {
        let value_bytes = size_of::<T>() as u64;
        if sparing && is_padding(&self.input.footprint, format, value_bytes) {
            let [bytes, csr_bytes] =
                [format, Format::Csr].map(|format| self.input.footprint.bytes(format, value_bytes));
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: format!("at most {MOST_PADDING} times the {csr_bytes} bytes of csr"),
                found: format!("{bytes} (--format {format} measures it)"),
            });
        }
        let matrix = &self.matrix;
        let start = Instant::now();
        let stored = Stored::new(matrix, format)?;
        let conversion = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let there = self.upload(device, &stored, arguments)?;
        device.synchronize().block_on()?;
        let upload = start.elapsed().as_secs_f64();
        drop(stored);
        let (columns, runs) = (arguments.columns, arguments.common.runs);
        let elapsed = if columns == 1 {
            let x = Vector::from_slice(device, &self.x_by_rows(1)?)?;
            let mut y = Vector::zeros(device, matrix.rows())?;
            spmv(T::one(), &there, &x, T::zero(), &mut y)?;
            self.check(there.format(), &y.to_host().block_on()?, 1)?;
            sample::median(device, runs, &mut || spmv(T::one(), &there, &x, T::zero(), &mut y))?
        } else {
            // Both first: what a device or the host has no room for is refused here, and not when the values are made.
            let mut x = Matrix::zeros(device, matrix.cols(), columns)?;
            let mut y = Matrix::zeros(device, matrix.rows(), columns)?;
            x.write_rows(0, &self.x_by_rows(columns)?)?;
            spmm(T::one(), &there, &x, T::zero(), &mut y)?;
            self.check(there.format(), &y.to_host().block_on()?, columns)?;
            sample::median(device, runs, &mut || spmm(T::one(), &there, &x, T::zero(), &mut y))?
        };
        let vectors = (matrix.rows() + matrix.cols()) * columns * size_of::<T>();
        // The host leaves rows at their ends.
        let read = match device.adapter().kind {
            AdapterKind::Host => self.input.footprint.unpadded_bytes(there.format(), value_bytes),
            _ => there.bytes(),
        };
        Ok(Figure {
            scalar: T::NAME,
            format: there.format(),
            bytes: there.bytes(),
            before: self.input.bytes_before(format, value_bytes),
            moved: Moved {
                bytes: read as f64 + vectors as f64,
                elapsed,
                limit: None,
            },
            products: matrix.nnz() * columns,
            kernel: there.kernel().filter(|_| columns == 1),
            conversion,
            upload,
        })
    }

    fn upload(&self, device: &Device, stored: &Stored<T>, arguments: &Arguments) -> Result<DeviceMatrix<T>> {
        let upload = || match stored {
            Stored::Csr(csr) => DeviceMatrix::with_schedule(device, csr, arguments.schedule),
            Stored::RbpCsr(in_runs) => DeviceMatrix::with_schedule(device, in_runs, arguments.schedule),
            Stored::PackedCsr(packed) => DeviceMatrix::with_schedule(device, packed, arguments.schedule),
            other => DeviceMatrix::from_stored(device, other),
        };
        if arguments.set.is_empty() {
            return upload();
        }
        let (operation, variant) = self.variant(device, stored.format(), &arguments.set)?;
        device.tuning().pin(operation, Some(variant.clone()));
        let there = upload();
        device.tuning().pin(operation, None);
        let there = there?;
        let kernel = there.kernel().unwrap_or_else(|| "the host's own way".to_owned());
        if !kernel.starts_with(variant.kernel.name) {
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: format!("{variant}, for a GPU and rows that are even"),
                found: kernel,
            });
        }
        Ok(there)
    }

    /// The variant with the constants that are set, and the others as they are untuned; and its operation.
    fn variant(&self, device: &Device, format: Format, set: &[(String, u32)]) -> Result<(&'static str, Variant)> {
        let operation = format!("spmv_{}", format.name().replace('-', "_"));
        let tunables = sparse::tunables();
        let Some(tunable) = tunables.iter().find(|tunable| tunable.name == operation) else {
            let tuned = tunables.map(|tunable| tunable.name.trim_start_matches("spmv_").replace('_', "-"));
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: format!("a format with constants to set, of {}", tuned.join(", ")),
                found: format.name().to_owned(),
            });
        };
        let twice = |(at, (name, _)): &(usize, &(String, u32))| set[..*at].iter().any(|(before, _)| before == name);
        if let Some((_, (name, _))) = set.iter().enumerate().find(twice) {
            return Err(Error::Shape {
                operation: "bench spmv",
                expected: "one value for each constant".to_owned(),
                found: format!("several for {name}"),
            });
        }
        let precision = Precision::of::<T>(Width::Single);
        let matrix = &self.matrix;
        let shape = Shape::new(matrix.rows(), 1, matrix.nnz() / matrix.rows().max(1));
        let default = (tunable.default)(device.adapter(), precision, shape);
        let has = |family: &&&Family| {
            let range = |name: &str| family.ranges.iter().any(|range| range.name == name);
            set.iter().all(|(name, _)| range(name))
        };
        let of_default = |family: &&&Family| std::ptr::eq(family.kernel, default.kernel);
        let families: Vec<&Family> = tunable.families_on(device.adapter().kind).collect();
        let family = families
            .iter()
            .filter(has)
            .find(of_default)
            .or_else(|| families.iter().find(has));
        // One without all of them says which it has.
        let family = *family.unwrap_or(&families[families.len() - 1]);
        let known = |name: &str| {
            let set = set.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
            let default = default.constants.iter().find(|(known, _)| *known == name);
            let constant = family.kernel.constants.iter().find(|constant| constant.name == name);
            set.or(default.map(|(_, value)| *value))
                .or(constant.map(|constant| constant.default))
        };
        let names = family.ranges.iter().map(|range| range.name);
        let constants = names.filter_map(|name| Some((name.to_owned(), known(name)?)));
        let constants = constants.chain(set.iter().cloned()).collect();
        let variant = tunable.variant(family.kernel.name, &constants, device.adapter(), precision)?;
        Ok((tunable.name, variant))
    }

    /// X by rows, x by the factor of each column, in the order of the matrix that is multiplied.
    fn x_by_rows(&self, columns: usize) -> Result<Vec<T>> {
        let x = match &self.input.before {
            Some(before) => before.order.apply(&self.x)?,
            None => self.x.clone(),
        };
        let of_row = |x: T| (0..columns).map(move |column| x * T::from_f64(factor(column)));
        Ok(x.into_iter().flat_map(of_row).collect())
    }

    /// Refuses to time a product that is wrong: `found` by rows, of so many columns.
    fn check(&self, format: Format, found: &[T], columns: usize) -> Result<()> {
        let order = self.input.before.as_ref().map(|before| before.order.order());
        for (at, found) in found.iter().enumerate() {
            let factor = factor(at % columns);
            let row = order.map_or(at / columns, |order| order[at / columns] as usize);
            let expected = self.product[row] * T::from_f64(factor);
            let error = (*found - expected).to_f64().abs();
            if !(error <= self.bound[row] * factor.abs()) {
                return Err(Error::Refused {
                    what: format!("the product as {format}"),
                    device: "the check against the host".to_owned(),
                    reason: format!(
                        "row {row} is {found}, expected {expected}, an error of {:e} at most",
                        self.bound[row]
                    ),
                });
            }
        }
        Ok(())
    }
}

impl Figure {
    fn flops(&self) -> f64 {
        2.0 * self.products as f64 / self.moved.elapsed.seconds()
    }

    pub(super) fn object(&self) -> Value {
        let mut object = self.moved.fields();
        for (key, value) in [
            ("scalar", json!(self.scalar)),
            ("format", json!(self.format.name())),
            ("bytes", json!(self.bytes)),
            ("bytes_before", json!(self.before)),
            ("bytes_moved", json!(self.moved.bytes)),
            ("kernel", json!(self.kernel)),
            ("conversion_seconds", json!(self.conversion)),
            ("upload_seconds", json!(self.upload)),
            ("gigaflops", print::number(self.flops() / 1e9)),
        ] {
            object.insert(key.to_owned(), value);
        }
        Value::Object(object)
    }

    pub(super) fn show(&self) {
        let moved = &self.moved;
        let bytes = |bytes: u64| print::count(usize::try_from(bytes).unwrap_or(usize::MAX));
        let before = self
            .before
            .map_or_else(String::new, |before| format!(" {:>15}", bytes(before)));
        let [conversion, upload, time] = [self.conversion, self.upload, moved.elapsed.seconds()].map(print::seconds);
        println!(
            "{:<5} {:<11} {:>15}{before} {conversion:>10} {upload:>10} {time:>10} {:>8.1} {:>6} {:>9.2}",
            self.scalar,
            self.format,
            bytes(self.bytes),
            moved.rate() / 1e9,
            moved.percent(),
            self.flops() / 1e9
        );
    }
}
