//! Which arithmetic a kernel is composed with: the scalar, what lies in memory, and the version of the scalar's
//! module that the device was found to need.

use std::fmt;

use super::fragment::{Fragment, fragment};
use super::{Adapter, AdapterKind};
use crate::scalar::{Scalar, ScalarKind};

/// The scalar that a kernel computes in, and the elements that it reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Precision {
    /// What the arithmetic is done in.
    pub scalar: ScalarKind,
    /// What lies in memory: the same, or a narrower one below it.
    pub element: ScalarKind,
    /// How elements are read.
    pub width: Width,
}

/// How many elements a kernel reads at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Width {
    /// One: for strided operands, and for kernels that index elements.
    Single,
    /// 16 bytes of them: for contiguous operands that begin on 16 bytes.
    Pack,
}

/// How every operation on a word is kept as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Words {
    /// As the compiler likes it.
    Plain,
    /// Plain text, compiled to SPIR-V in which every operation forbids contraction and reassociation.
    NoContraction,
    /// Every result passes an exclusive-or with a zero that is read at run time.
    Barrier,
    /// Every operation is done in 32-bit integers.
    Integer,
}

/// How the error of a product is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Product {
    /// One fused multiply-add.
    Fma,
    /// Factors split by an integer mask.
    Mask,
    /// The same, small factors multiplied by a power of two before: where subnormals are flushed, their lower half would be lost.
    Lifted,
}

impl Words {
    /// All ways, in the order in which they are tried. `NoContraction` is first: it is a promise where plain text is an
    /// observation, and costs nothing where the compiler transforms nothing anyway.
    pub const ALL: [Self; 4] = [Self::NoContraction, Self::Plain, Self::Barrier, Self::Integer];
}

impl Product {
    /// All ways, from the fastest on.
    pub const ALL: [Self; 3] = [Self::Fma, Self::Mask, Self::Lifted];
}

/// One version of a scalar's module. Single words (f32, f64) have one version only, [`Version::PLAIN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// How operations on words are kept.
    pub words: Words,
    /// How the error of a product is found.
    pub product: Product,
}

impl Precision {
    /// Arithmetic in `T` on elements of `T`.
    #[must_use]
    pub fn of<T: Scalar>(width: Width) -> Self {
        Self {
            scalar: T::KIND,
            element: T::KIND,
            width,
        }
    }

    /// The same, in packs on a driver that computes on the CPU, if all these counts of elements are whole packs: there a load has its
    /// time, however little it loads. On a GPU, neighbours' elements are loaded together anyway.
    pub(crate) fn for_counts<T: Scalar>(adapter: &Adapter, counts: &[usize]) -> Self {
        let packs = Self::of::<T>(Width::Pack);
        let pack = packs.pack() as usize;
        let whole = counts.iter().all(|count| count.is_multiple_of(pack));
        if adapter.kind == AdapterKind::Software && whole {
            packs
        } else {
            Self::of::<T>(Width::Single)
        }
    }

    /// Whether a kernel for [`Vocabulary::LongPacks`](super::kernel::Vocabulary::LongPacks) is to be preferred: lavapipe puts every
    /// number that it loads among those of the other lanes through memory, which takes most of the time, and as long for 32
    /// bits as for 64 (BENCHMARKS.md).
    pub(crate) fn is_long_on(self, adapter: &Adapter) -> bool {
        let of_f32 = matches!(self.element, ScalarKind::F32 | ScalarKind::Df64);
        adapter.kind == AdapterKind::Software && self.width == Width::Pack && of_f32 && adapter.has_int64()
    }

    /// Arithmetic in Df64 on elements of f32.
    #[must_use]
    pub fn f32_in_df64(width: Width) -> Self {
        Self {
            scalar: ScalarKind::Df64,
            element: ScalarKind::F32,
            width,
        }
    }

    /// Arithmetic in `S`, on elements of `S` and of `E`, which is no wider ([`Precision::holds`]).
    #[must_use]
    pub fn between<S: Scalar, E: Scalar>() -> Self {
        Self {
            scalar: S::KIND,
            element: E::KIND,
            width: Width::Single,
        }
    }

    /// Whether `scalar` has all numbers of `element`, so that reading one is exact and writing one rounds: f32 < Df64 <
    /// f64 < Dd. (In bits; a Df64 whose words lie far apart is rounded in f64.)
    #[must_use]
    pub fn holds(scalar: ScalarKind, element: ScalarKind) -> bool {
        element <= scalar
    }

    /// The elements of a pack.
    #[must_use]
    pub fn pack(self) -> u32 {
        match (self.width, self.element) {
            (Width::Single, _) | (Width::Pack, ScalarKind::Dd) => 1,
            (Width::Pack, ScalarKind::F32) => 4,
            (Width::Pack, ScalarKind::F64 | ScalarKind::Df64) => 2,
        }
    }

    /// The fragments that define `Scalar`, `Element` and `Pack` and their vocabulary.
    pub(crate) fn fragments(self, version: Version) -> Vec<Fragment> {
        let mut fragments = self.scalar_fragments(version);
        fragments.push(match (self.width, self.element) {
            (Width::Single, _) => fragment!("scalar/pack/single.wgsl"),
            (Width::Pack, ScalarKind::F32) => fragment!("scalar/pack/f32.wgsl"),
            (Width::Pack, ScalarKind::F64) => fragment!("scalar/pack/f64.wgsl"),
            (Width::Pack, ScalarKind::Df64) => fragment!("scalar/pack/df64.wgsl"),
            (Width::Pack, ScalarKind::Dd) => fragment!("scalar/pack/dd.wgsl"),
        });
        fragments
    }

    /// Those that define `Scalar` and `Element`.
    pub(crate) fn scalar_fragments(self, version: Version) -> Vec<Fragment> {
        let mut fragments = match self.scalar {
            ScalarKind::F32 => vec![fragment!("scalar/f32.wgsl")],
            ScalarKind::F64 => vec![fragment!("scalar/f64.wgsl")],
            ScalarKind::Df64 | ScalarKind::Dd => {
                let mut words = version.word_fragments(self.scalar);
                words.push(fragment!("scalar/double_word.wgsl"));
                words
            }
        };
        fragments.push(fragment!("scalar/parameter.wgsl"));
        if self.scalar.word_bytes() > self.element.word_bytes() {
            fragments.push(fragment!("scalar/nearest.wgsl"));
        }
        fragments.push(match (self.scalar, self.element) {
            (ScalarKind::Df64, ScalarKind::F32) => fragment!("scalar/element/f32_in_df64.wgsl"),
            (ScalarKind::F64, ScalarKind::F32) => fragment!("scalar/element/f32_in_f64.wgsl"),
            (ScalarKind::F64, ScalarKind::Df64) => fragment!("scalar/element/df64_in_f64.wgsl"),
            (ScalarKind::Dd, ScalarKind::F32) => fragment!("scalar/element/f32_in_dd.wgsl"),
            (ScalarKind::Dd, ScalarKind::Df64) => fragment!("scalar/element/df64_in_dd.wgsl"),
            (ScalarKind::Dd, ScalarKind::F64) => fragment!("scalar/element/f64_in_dd.wgsl"),
            // What is wider is refused before anything is launched.
            _ => fragment!("scalar/element/same.wgsl"),
        });
        fragments
    }

    /// The fragment that defines a `Pack` of two integers of 64 bits, if elements are made of f32; what is made of f64 has 64 bits.
    pub(crate) fn long_pack(self) -> Fragment {
        match self.element {
            ScalarKind::F32 => fragment!("scalar/pack/f32_in_u64.wgsl"),
            ScalarKind::Df64 => fragment!("scalar/pack/df64_in_u64.wgsl"),
            ScalarKind::F64 => fragment!("scalar/pack/f64.wgsl"),
            ScalarKind::Dd => fragment!("scalar/pack/dd.wgsl"),
        }
    }

    /// The fragment that moves a `Scalar` between the invocations of a subgroup, which only kernels for those may have.
    pub(crate) fn shuffle(self) -> Fragment {
        match self.scalar {
            ScalarKind::F32 | ScalarKind::F64 => fragment!("scalar/shuffle/single_word.wgsl"),
            ScalarKind::Df64 | ScalarKind::Dd => fragment!("scalar/shuffle/double_word.wgsl"),
        }
    }

    /// The fragment that makes words of a `Scalar` which say that they are there, for kernels with `lib/sealed.wgsl`.
    pub(crate) fn sealed(self) -> Fragment {
        match self.scalar {
            ScalarKind::F32 => fragment!("scalar/sealed/f32.wgsl"),
            ScalarKind::F64 => fragment!("scalar/sealed/f64.wgsl"),
            ScalarKind::Df64 => fragment!("scalar/sealed/df64.wgsl"),
            ScalarKind::Dd => fragment!("scalar/sealed/dd.wgsl"),
        }
    }
}

/// The words of [`Precision::sealed`], for a scalar.
pub(crate) fn sealed_words(scalar: ScalarKind) -> u32 {
    match scalar {
        ScalarKind::F32 => 1,
        ScalarKind::Df64 => 2,
        ScalarKind::F64 => 3,
        ScalarKind::Dd => 6,
    }
}

impl Version {
    /// The only version of the single words.
    pub const PLAIN: Self = Self {
        words: Words::Plain,
        product: Product::Fma,
    };

    /// The fragments that define `Word` and the error-free transforms on it.
    pub(crate) fn word_fragments(self, scalar: ScalarKind) -> Vec<Fragment> {
        let (word, layer) = match (scalar, self.words) {
            (ScalarKind::F32 | ScalarKind::Df64, words) => (
                fragment!("scalar/word/f32.wgsl"),
                match words {
                    Words::Plain | Words::NoContraction => fragment!("scalar/word/f32_plain.wgsl"),
                    Words::Barrier => fragment!("scalar/word/f32_barrier.wgsl"),
                    Words::Integer => fragment!("scalar/word/f32_integer.wgsl"),
                },
            ),
            (ScalarKind::F64 | ScalarKind::Dd, words) => (
                fragment!("scalar/word/f64.wgsl"),
                match words {
                    Words::Barrier => fragment!("scalar/word/f64_barrier.wgsl"),
                    // The self-test offers no integer layer for doubles.
                    Words::Plain | Words::NoContraction | Words::Integer => fragment!("scalar/word/f64_plain.wgsl"),
                },
            ),
        };
        vec![
            word,
            layer,
            fragment!("scalar/two_prod.wgsl"),
            fragment!("scalar/two_sum.wgsl"),
        ]
    }

    /// The value of `PRODUCT` in the header; none for single words.
    pub(crate) fn product_constant(self, scalar: ScalarKind) -> Option<u32> {
        match scalar {
            ScalarKind::F32 | ScalarKind::F64 => None,
            ScalarKind::Df64 | ScalarKind::Dd => Some(match self.product {
                Product::Fma => 0,
                Product::Mask => 1,
                Product::Lifted => 2,
            }),
        }
    }

    /// Whether the module reads the barrier's zero at `@group(1) @binding(0)`.
    pub(crate) fn has_barrier(self) -> bool {
        self.words == Words::Barrier
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::NoContraction => "no contraction",
            Self::Barrier => "barrier",
            Self::Integer => "integer",
        })
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fma => "fma",
            Self::Mask => "mask split",
            Self::Lifted => "mask split, lifted",
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, product by {}", self.words, self.product)
    }
}

impl ScalarKind {
    /// How many words a scalar has: 1 or 2.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            Self::F32 | Self::F64 => 1,
            Self::Df64 | Self::Dd => 2,
        }
    }

    /// Bytes of one of them.
    const fn word_bytes(self) -> usize {
        self.size() / self.words()
    }

    /// Bytes of one scalar.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::Df64 | Self::F64 => 8,
            Self::Dd => 16,
        }
    }
}
