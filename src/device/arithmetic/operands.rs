//! Operands that compilers and hardware stumble over.

use crate::scalar::{DoubleWord, Word};

/// Reproducible random bits: `SplitMix64` (Steele, Lea and Flood 2014).
pub(super) struct Bits(u64);

impl Bits {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `choices`.
    fn below(&mut self, choices: u64) -> u64 {
        self.next() % choices
    }

    /// A word in ±[2^-range, 2^(range + 1)) whose significand is random, or one of the patterns that show rounding:
    /// all ones, one bit past the leading one, alternating, a power of two, the lower half empty.
    pub(super) fn word<W: Word>(&mut self, range: i32) -> W {
        let width = u64::try_from(W::PRECISION - 1).unwrap_or(0);
        let mask = (1_u64 << width) - 1;
        let random = self.next() & mask;
        let fraction = match self.below(8) {
            0 => mask,
            1 => 1,
            2 => mask / 3,
            3 => 0,
            4 => random & !(mask >> (width / 2)),
            _ => random,
        };
        // fraction + 2^width has no more bits than a double holds.
        #[expect(clippy::cast_precision_loss, reason = "at most 53 bits")]
        let significand = (fraction + (1 << width)) as f64;
        let span = u64::try_from(2 * range + 1).unwrap_or(1);
        let exponent = i32::try_from(self.below(span)).unwrap_or(0) - range;
        let value = W::from_f64(significand).scale_exponent(exponent - (W::PRECISION - 1));
        if self.below(2) == 0 { value } else { -value }
    }

    /// Two words: far apart, close, or nearly cancelling.
    pub(super) fn words<W: Word>(&mut self, range: i32) -> (W, W) {
        let a = self.word::<W>(range);
        match self.below(4) {
            0 => {
                // Neighbours of -a: almost everything cancels.
                let step = W::from_f64(f64::from(u32::try_from(self.below(9)).unwrap_or(0)) - 4.0);
                let last = a
                    .exponent()
                    .map_or(W::zero(), |e| step.scale_exponent(e - (W::PRECISION - 1)));
                (a, last - a)
            }
            1 => {
                let ratio = self.word::<W>(2);
                (a, W::from_f64(a.to_f64() * ratio.to_f64()))
            }
            _ => (a, self.word::<W>(range)),
        }
    }

    /// Two words of which one is as large as any may be, so that what a product is split into must not overflow either, and the
    /// other as much smaller.
    pub(super) fn words_far_apart<W: Word>(&mut self) -> (W, W) {
        let exponent = W::MAX_EXPONENT - 2;
        let large = self.word::<W>(0).scale_exponent(exponent);
        let small = self.word::<W>(8).scale_exponent(-exponent / 2);
        if self.below(2) == 0 {
            (large, small)
        } else {
            (small, large)
        }
    }

    /// Two words of which one is so small that its lower half is subnormal, where that is flushed; their product and its error
    /// are not.
    pub(super) fn words_at_the_bottom<W: Word>(&mut self) -> (W, W) {
        let small = self.word::<W>(4).scale_exponent(W::MIN_EXPONENT + 6);
        let large = self.word::<W>(8).scale_exponent(W::MAX_EXPONENT - 18);
        if self.below(2) == 0 {
            (large, small)
        } else {
            (small, large)
        }
    }

    /// A normalised pair with a full, a sparse or an empty low word.
    pub(super) fn pair<W: Word>(&mut self, range: i32) -> DoubleWord<W> {
        let hi = self.word::<W>(range);
        let low = match self.below(8) {
            0 => W::zero(),
            1 => self.word::<W>(range).scale_exponent(-(W::PRECISION + 4)),
            _ => W::from_f64(hi.to_f64() * self.word::<W>(0).to_f64()).scale_exponent(-(W::PRECISION + 1)),
        };
        DoubleWord::new(hi, low)
    }
}
