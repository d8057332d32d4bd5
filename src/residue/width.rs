//! Two widths of primes: what every device computes with, and what takes products of 64 bits.

use crate::device::kernel::Kernel;

/// How wide the primes of a [`Basis`](super::Basis) are: all of one width.
///
/// For the same range, a basis of wide primes has half as many residues, and signs by mixed radix digits take a quarter of the
/// products. A product is three multiplications in either width, two of them of 64 bits where primes are wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Width {
    /// Odd primes below 2¹⁶, R = 2¹⁶: products in 32 bits, which every device has.
    #[default]
    Narrow,
    /// Primes between 2³⁰ and 2³¹, R = 2³²: products of 64 bits. The host has them, and of GPUs those whose adapter has
    /// `shader-int64` ([`Device::supports_int64`](crate::Device::supports_int64)).
    Wide,
}

impl Width {
    /// log₂ R, R that of Montgomery's products.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Narrow => 16,
            Self::Wide => 32,
        }
    }

    /// How many of the largest primes bases are made of: those above 2¹⁵; and of the 50,697,537 wide ones as many as have a
    /// table, of r²/2 `u32`s, of 34 MB.
    pub(super) const fn most(self) -> usize {
        match self {
            Self::Narrow => 3030,
            Self::Wide => 4096,
        }
    }

    /// The primes, in words.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Narrow => "odd primes below 65536",
            Self::Wide => "primes between 2^30 and 2^31",
        }
    }

    /// Of a product modulo a prime, the multiplications of 32 bits: that of wide factors gives both halves, which is two.
    pub(super) const fn multiplications(self) -> usize {
        match self {
            Self::Narrow => 3,
            Self::Wide => 5,
        }
    }
}

/// A kernel in both widths: one text, with the arithmetic of each.
#[derive(Debug)]
pub(crate) struct Widths {
    pub(crate) narrow: Kernel,
    pub(crate) wide: Kernel,
}

impl Widths {
    pub(super) fn of(&'static self, width: Width) -> &'static Kernel {
        match width {
            Width::Narrow => &self.narrow,
            Width::Wide => &self.wide,
        }
    }
}

/// [`Widths`] of a text: what both have in their library, what narrow primes have, and what wide ones have instead. What else
/// a kernel has is told by a function of name, text and library.
macro_rules! widths {
    (
        $kernel:expr, $name:literal, $source:literal,
        both $both:tt, narrow [$($narrow:literal),*], wide [$($wide:literal),*]
    ) => {
        $crate::residue::width::Widths {
            narrow: $crate::residue::width::widths!(@one $kernel, $name, $source, $both, [$($narrow),*]),
            wide: $crate::residue::width::widths!(@one $kernel, concat!($name, " wide"), $source, $both, [$($wide),*]),
        }
    };
    (@one $kernel:expr, $name:expr, $source:literal, [$($both:literal),*], [$($own:literal),*]) => {
        $kernel(
            $name,
            $crate::device::kernel::fragment!($source),
            &[
                $($crate::device::kernel::fragment!($both),)*
                $($crate::device::kernel::fragment!($own),)*
            ],
        )
    };
}
pub(super) use widths;
