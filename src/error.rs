//! What can go wrong, each with the numbers that say why. Input from a user never panics.

use std::path::PathBuf;

/// The result of everything in this library that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Every error of the library: a sentence that says which operation, what it expected and what it found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Operands do not fit together. Check the extents that the operation's documentation names.
    #[error("{operation}: expected {expected}, found {found}")]
    Shape {
        /// The operation that was asked for.
        operation: &'static str,
        /// What it needs.
        expected: String,
        /// What it was given.
        found: String,
    },
    /// Operands live on different devices, or belong to two openings of one. Read one back with `to_host`, and make it
    /// again beside the other with `from_slice` (a matrix with `from_rows`).
    #[error("{operation}: operands live on different devices, {}", apart(first, second))]
    DeviceMismatch {
        /// The operation that was asked for.
        operation: &'static str,
        /// The device of the first operand.
        first: String,
        /// The device of the operand that differs.
        second: String,
    },
    /// No device answers to the name that was asked for.
    #[error("no device {asked}; there are: {}", available.join(", "))]
    NoDevice {
        /// The name or index asked for.
        asked: String,
        /// What could be opened instead.
        available: Vec<String>,
    },
    /// The device cannot compute in this scalar.
    #[error("{device} cannot compute in {scalar}: {reason}")]
    UnsupportedScalar {
        /// The scalar's name.
        scalar: &'static str,
        /// The device's name.
        device: String,
        /// Why: a missing feature, or arithmetic that failed the self-test.
        reason: String,
    },
    /// The device lacks a feature. Use another, or the host, which has all of them.
    #[error("{device} has no {feature}, which {what} need")]
    MissingFeature {
        /// What needs it.
        what: &'static str,
        /// The feature's name, as [`Adapter::features`](crate::device::Adapter::features) has it.
        feature: &'static str,
        /// The device's name.
        device: String,
    },
    /// Larger than a limit of the device. Use a device with a higher limit, or the host.
    #[error("{what} needs {}, more than the {limit} that {device} allows ({limit_name})", counted(*bytes))]
    TooLarge {
        /// What was to be made.
        what: String,
        /// The bytes it needs; the largest number where there are more.
        bytes: u64,
        /// The bytes that are allowed.
        limit: u64,
        /// The limit's name in WebGPU's terms, or `32-bit indices`, which are what kernels count with.
        limit_name: &'static str,
        /// The device's name.
        device: String,
    },
    /// The device has no memory left for this.
    #[error("{device} is out of memory: {} for {what}", counted(*bytes))]
    OutOfMemory {
        /// What was to be made.
        what: String,
        /// The bytes it needs; the largest number where there are more.
        bytes: u64,
        /// The device's name.
        device: String,
    },
    /// The device is gone (driver reset, unplugged, destroyed). Open it again; its buffers are lost.
    #[error("{device} was lost: {reason}")]
    DeviceLost {
        /// The device's name.
        device: String,
        /// What the driver said.
        reason: String,
    },
    /// The graphics stack refused something that this library built: a fault of the library or of the driver.
    #[error("{device} refused {what}: {reason}")]
    Refused {
        /// What was refused: a kernel, a buffer, a submission.
        what: String,
        /// The device's name.
        device: String,
        /// What the stack said.
        reason: String,
    },
    /// The matrix is singular: elimination finds no pivot in this column (counted from 0).
    #[error("the matrix is singular: column {column} depends on the columns before it (counted from 0)")]
    Singular {
        /// The column, counted from 0.
        column: usize,
    },
    /// One matrix of a batch is singular, and it is the first: elimination finds no pivot in this column.
    #[error("system {system} is singular: its column {column} depends on the columns before it (both counted from 0)")]
    SingularSystem {
        /// The number of the matrix in its batch, counted from 0.
        system: usize,
        /// The column, counted from 0.
        column: usize,
    },
    /// An operand holds a NaN or an infinity.
    #[error("{what} is {value}, not a finite number")]
    NotFinite {
        /// Which operand, and where.
        what: String,
        /// What is there.
        value: f64,
    },
    /// An operand's value leaves the range that the scalar promises.
    #[error("{what} leaves the range of {scalar}: {value:e}")]
    OutOfRange {
        /// Which operand.
        what: &'static str,
        /// The scalar's name.
        scalar: &'static str,
        /// The value that does not fit.
        value: f64,
    },
    /// Primes that are no basis of residues.
    #[error("a basis of residues: {reason}")]
    Basis {
        /// What is wrong with them.
        reason: String,
    },
    /// A result in residues could be beyond what its primes tell apart. Extend the basis of the operands.
    #[error("{operation}: magnitudes up to {bound} leave the range of its {primes} primes, {range}")]
    LeavesRange {
        /// The operation that was asked for.
        operation: &'static str,
        /// The bound of the result's magnitudes, computed from those of the operands.
        bound: String,
        /// The largest magnitude in the range.
        range: String,
        /// How many primes there are.
        primes: usize,
    },
    /// Refinement stopped before the asked backward error was reached.
    #[error(
        "{method} did not converge: backward error {backward_error:.2e} after {iterations} iterations, {target:.2e} asked"
    )]
    NotConverged {
        /// The method that was used last.
        method: String,
        /// Its iterations.
        iterations: usize,
        /// The backward error that was reached.
        backward_error: f64,
        /// The backward error that was asked.
        target: f64,
    },
    /// A text that does not say what it should.
    #[error("line {line}: {reason}")]
    Parse {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A word of somebody's choice, a name or a size behind it, that is none of those there are.
    #[error("{reason}")]
    Name {
        /// What was said, and what there is.
        reason: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// An entry of the tuning that cannot be: numbers or names that no search writes. Tune again, or mend the entry.
    #[error("the tuning of {operation}: {reason}")]
    Tuning {
        /// The operation that the entry is for.
        operation: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The observer asked to stop.
    #[error("{operation} was cancelled")]
    Cancelled {
        /// What was cancelled.
        operation: &'static str,
    },
}

/// Two devices by their names, which may be the same.
fn apart(first: &str, second: &str) -> String {
    if first == second {
        format!("both called {first}: two openings of one, or two of a make")
    } else {
        format!("{first} and {second}")
    }
}

/// Numbers of bytes are computed so that the largest stands for all that are larger.
fn counted(bytes: u64) -> String {
    if bytes == u64::MAX {
        "2^64 bytes or more".to_owned()
    } else {
        format!("{bytes} bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_than_can_be_counted_have_no_number() {
        let message = |bytes| {
            let (what, device) = ("a matrix".to_owned(), "host".to_owned());
            Error::OutOfMemory { what, bytes, device }.to_string()
        };
        assert_eq!(message(8), "host is out of memory: 8 bytes for a matrix");
        assert_eq!(
            message(u64::MAX),
            "host is out of memory: 2^64 bytes or more for a matrix"
        );
    }

    #[test]
    fn devices_of_the_same_name_are_told_apart() {
        let mismatch = |second: &str| Error::DeviceMismatch {
            operation: "axpy",
            first: "Iris".to_owned(),
            second: second.to_owned(),
        };
        let message = |second| mismatch(second).to_string();
        assert_eq!(
            message("host"),
            "axpy: operands live on different devices, Iris and host"
        );
        assert_eq!(
            message("Iris"),
            "axpy: operands live on different devices, both called Iris: two openings of one, or two of a make"
        );
    }
}
