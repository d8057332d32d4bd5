//! Kernels: what a shader file needs from Rust, and how its text is put together.
//!
//! A kernel is written once for all scalars. Its text is the concatenation of a header of constants, the modules of
//! the scalar, shared fragments and the kernel's own file; WGSL lets declarations stand in any order, so nothing is
//! substituted; only loops marked so are written out (`unroll.rs`). Every line of the whole knows its file.

use std::fmt::Write as _;

pub(crate) use super::fragment::{Fragment, fragment};
use super::precision::{Precision, Version};
use super::unroll::{Origin, unroll};

/// What a kernel does with a storage buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`.
    Read,
    /// `var<storage, read_write>`.
    ReadWrite,
}

/// The scalars that a kernel is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vocabulary {
    /// Every scalar module with elements of the same kind, read one by one.
    Elements,
    /// Every scalar module with elements of the same kind, or f32 elements in Df64; read one by one or in packs.
    Packs,
    /// f32 and Df64 in packs, each of which is two integers of 64 bits: for a driver that takes as long to load 32 bits
    /// ([`Precision::is_long_on`](super::precision::Precision)).
    LongPacks,
    /// Every scalar module, with elements of the same or of a narrower kind, and with scalars in memory beside them: for
    /// kernels that go from one to the other.
    Mixed,
    /// Words only: the kernel tests what scalars are made of.
    Words,
    /// Df64 and the f32 words that it is made of, in the version that keeps each operation as written: for kernels whose
    /// f32 must be the host's bit for bit, or that know f32's bits.
    Singles,
    /// No scalar: the kernel computes with integers.
    Integers,
}

/// A constant of a kernel's header, and the value used when nothing is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    /// Its name in the shader.
    pub name: &'static str,
    /// The value that is right on every device.
    pub default: u32,
}

/// A compute kernel: one entry point over one file, with all that Rust must agree on with the shader.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: the label of every GPU object made for it.
    pub name: &'static str,
    /// The entry point.
    pub entry: &'static str,
    /// Its own file.
    pub source: Fragment,
    /// The shared fragments that it uses.
    pub fragments: &'static [Fragment],
    /// What it does with the storage buffers at `@group(0) @binding(1)` and on.
    pub bindings: &'static [Access],
    /// The `u32` members of its `Params`, in order.
    pub integers: &'static [&'static str],
    /// The `Parameter` members of its `Params`, after the integers, each a scalar at a multiple of 16 bytes.
    pub scalars: &'static [&'static str],
    /// The constants of its header.
    pub constants: &'static [Constant],
    /// The scalars that it is written for.
    pub vocabulary: Vocabulary,
}

/// A kernel's whole text, and where each part of it came from.
#[derive(Debug, Clone)]
pub struct Composed {
    /// The WGSL text.
    pub text: String,
    origins: Vec<Origin>,
}

impl Composed {
    /// `shaders/` path and line of a line of the whole text, both counted from 1.
    #[must_use]
    pub fn origin(&self, line: usize) -> (&'static str, usize) {
        self.origins
            .get(line.wrapping_sub(1))
            .copied()
            .unwrap_or(("header", line))
    }

    /// A text of one part.
    #[cfg(test)]
    pub(crate) fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            origins: text.lines().zip(1..).map(|(_, line)| ("test", line)).collect(),
        }
    }
}

/// What a kernel must have among its fragments to use subgroups.
pub(crate) const SUBGROUP: Fragment = fragment!("lib/subgroup.wgsl");

/// What a kernel must have among its fragments to send scalars from one workgroup to another.
pub(crate) const SEALED: Fragment = fragment!("lib/sealed.wgsl");

/// What a kernel must have among its fragments to use integers of 64 bits; those of a scalar are its own.
const INT64: Fragment = fragment!("lib/int64.wgsl");

impl Kernel {
    /// Whether it runs only where there are subgroups ([`Adapter::subgroups`](super::Adapter::subgroups)).
    #[must_use]
    pub fn uses_subgroups(&self) -> bool {
        self.fragments.contains(&SUBGROUP)
    }

    /// Its text as browsers want it, which ask for an extension by name. Naga, which has it anyway, refuses the name (30).
    #[must_use]
    pub fn for_browsers(&self, composed: &Composed) -> String {
        // In the first line, so that lines keep their numbers.
        let extensions = if self.uses_subgroups() {
            "enable subgroups; "
        } else {
            ""
        };
        format!("{extensions}{}", composed.text)
    }

    /// Whether it runs only where there are integers of 64 bits, whatever its scalar
    /// ([`Device::supports_int64`](super::Device::supports_int64)).
    #[must_use]
    pub fn uses_int64(&self) -> bool {
        self.fragments.contains(&INT64) || self.vocabulary == Vocabulary::LongPacks
    }

    /// The kernel's text for a precision, in the version of its scalar that a device was found to need, with the
    /// constants of the header (the defaults where none is named).
    #[must_use]
    pub fn compose(&self, precision: Precision, version: Version, constants: &[(&str, u32)]) -> Composed {
        let mut header = String::new();
        for constant in self.constants {
            let value = constant.value(constants);
            let _ = writeln!(header, "const {}: u32 = {value}u;", constant.name);
        }
        if let Some(product) = version.product_constant(precision.scalar) {
            let _ = writeln!(header, "const PRODUCT: u32 = {product}u;");
        }
        let mut scalar = match self.vocabulary {
            Vocabulary::Words => version.word_fragments(precision.scalar),
            Vocabulary::Elements | Vocabulary::Packs | Vocabulary::Mixed | Vocabulary::Singles => {
                precision.fragments(version)
            }
            Vocabulary::LongPacks => {
                let mut fragments = precision.scalar_fragments(version);
                fragments.push(precision.long_pack());
                fragments
            }
            Vocabulary::Integers => Vec::new(),
        };
        if self.uses_subgroups() {
            scalar.push(precision.shuffle());
        }
        if self.fragments.contains(&SEALED) {
            scalar.push(precision.sealed());
        }
        let fragments = scalar.iter().chain(self.fragments).chain([&self.source]);
        let parts = [("header", header.as_str())]
            .into_iter()
            .chain(fragments.map(|part| (part.path, part.text)));
        let lines = parts.flat_map(|(path, text)| {
            let lines = text.lines().zip(1..);
            lines.map(move |(line, at)| ((path, at), line.to_owned()))
        });
        let mut composed = Composed {
            text: String::new(),
            origins: Vec::new(),
        };
        for (origin, line) in unroll(lines.collect()) {
            composed.origins.push(origin);
            composed.text.push_str(&line);
            composed.text.push('\n');
        }
        composed
    }
}

impl Constant {
    /// The constant with a value that fits, for a launch.
    pub(crate) fn of(&self, value: usize) -> (&'static str, u32) {
        (self.name, super::grid::narrow(value))
    }

    /// The value that is asked for, or the default.
    #[must_use]
    pub fn value(&self, asked: &[(&str, u32)]) -> u32 {
        asked
            .iter()
            .find(|(name, _)| *name == self.name)
            .map_or(self.default, |(_, value)| *value)
    }
}

/// The invocations of a workgroup of the one-dimensional kernels.
pub(crate) const WORKGROUP: Constant = Constant {
    name: "WORKGROUP",
    default: 256,
};
