//! What a variant costs, in closed form: the paper's tables 1 and 2.
//!
//! The paper's formulas are for N that four divides; those below are for every N and become the paper's there. With i = 1,
//! ..., N the step, T = ⌈N/4⌉ the rows of texels:
//!
//! | | I1 | I2 | I3 and I4 |
//! | --- | --- | --- | --- |
//! | passes | 2N | N | 8N and 4N |
//! | copies | 2N | N | 2N |
//! | texels copied | 2Σ(N−i)(N−i+1) = 2N(N²−1)/3 | N(N²−1)/3 | 2Υ |
//! | flops | 2N(N²−1)/3 | 4N(N²−1)/3 | 2N(N²−1)/3 |
//! | texels referenced | 2·N(N−1)/2 + 3·N(N−1)(2N−1)/6 | 4N(N²−1)/3 | 2Λ + 3Υ |
//!
//! with Λ = Σ(T − ⌊i/4⌋) and Υ = Σ(N−i)(T − ⌊i/4⌋) over i < N, their equations (4) and (5). A texel of I1 and I2 was
//! 16 bytes in 2005, of whose four channels one was used; in a buffer it is the element alone, so that their bytes here
//! are a quarter of the paper's ([`Counts::of_2005`]). A division counts as two operations, since it was a reciprocal and a
//! product. Table 1 gives the copies of I1 the region of L and U together after each draw, and those of I3 and I4 as many
//! columns after the first draw of a step as after the second; so that is what is copied.

use super::{Handover, Variant};

/// What was issued, or what the model says will be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Draws, those included in which no texel is left: the last step's, and programs that no texel needs.
    pub passes: u64,
    /// Copies back, with the same remark.
    pub copies: u64,
    /// Bytes of the texels copied, each counted once.
    pub copied_bytes: u64,
    /// Operations; a division is two.
    pub flops: u64,
    /// Bytes of the texels that fragments read.
    pub referenced_bytes: u64,
}

impl Counts {
    /// The same in bytes of 2005, where a texel of I1 and I2 had four channels too.
    #[must_use]
    pub fn of_2005(self, variant: Variant) -> Self {
        let channels = 4 / variant.texel_rows() as u64;
        Self {
            copied_bytes: self.copied_bytes.saturating_mul(channels),
            referenced_bytes: self.referenced_bytes.saturating_mul(channels),
            ..self
        }
    }
}

/// The counts of a variant for order n and channels of so many bytes (4 for `f32`, 8 for `Df64`). What does not fit 64 bits
/// is the largest number that does.
///
/// ```
/// use nonius::lu::fragment::{Handover, Variant, model};
/// let counts = model::counts(Variant::I3, Handover::Copy, 2048, 4);
/// assert_eq!((counts.passes, counts.copies), (16384, 4096));
/// assert_eq!(counts.referenced_bytes, 2048 * (4 * 2048 * 2048 + 7 * 2048 + 4));
/// ```
#[must_use]
pub fn counts(variant: Variant, handover: Handover, n: u32, channel_bytes: u64) -> Counts {
    let n = u128::from(n);
    if n == 0 {
        return Counts::default();
    }
    let texel = u128::from(channel_bytes) * variant.texel_rows() as u128;
    let block = n * (n * n - 1) / 3;
    let (lower, upper) = (n * (n - 1) / 2, n * (n - 1) * (2 * n - 1) / 6);
    let (texels_lower, texels_upper) = texels(n);
    let (passes, copies, copied, flops, referenced) = match variant {
        Variant::I1 => (2 * n, 2 * n, 2 * block, 2 * block, 2 * lower + 3 * upper),
        Variant::I2 => (n, n, block, 4 * block, 4 * block),
        Variant::I3 => (
            8 * n,
            2 * n,
            2 * texels_upper,
            2 * block,
            2 * texels_lower + 3 * texels_upper,
        ),
        Variant::I4 => (
            4 * n,
            2 * n,
            2 * texels_upper,
            2 * block,
            2 * texels_lower + 3 * texels_upper,
        ),
    };
    let (copies, copied) = match handover {
        Handover::Copy => (copies, copied),
        Handover::PingPong => (0, 0),
    };
    let narrow = |count: u128| u64::try_from(count).unwrap_or(u64::MAX);
    Counts {
        passes: narrow(passes),
        copies: narrow(copies),
        copied_bytes: narrow(copied * texel),
        flops: narrow(flops),
        referenced_bytes: narrow(referenced * texel),
    }
}

/// Λ and Υ. The row t of texels is drawn in steps 1 to 4t + 3, the last in steps 1 to N − 1; the sums over t are those
/// of (4t + 3) and (4t + 3)(N − 2t − 2), in closed form.
fn texels(n: u128) -> (u128, u128) {
    let rows = n.div_ceil(4) - 1;
    let first = rows * rows.saturating_sub(1) / 2;
    let second = rows.saturating_sub(1) * rows * (2 * rows).saturating_sub(1) / 6;
    let lower = 4 * first + 3 * rows + n - 1;
    // Σ (4t + 3)(N − 2t − 2) = (4N − 14) Σt − 8 Σt² + (3N − 6) rows, with what is negative on the left of the difference.
    let positive = 4 * n * first + 3 * n * rows;
    let negative = 14 * first + 8 * second + 6 * rows;
    (lower, positive - negative + n * (n - 1) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables 1 and 2 of the paper, as they are printed.
    #[test]
    fn the_model_is_the_paper_s() {
        for n in (4..=2048).step_by(4) {
            let order = u32::try_from(n).expect("small");
            let cubic = n * (n * n - 1);
            let vector = 2 * n * (4 * n * n + 3 * n - 4) / 3;
            let printed = [
                (2 * n, 2 * n, 32 * cubic / 3, 2 * cubic / 3, 8 * n * (2 * n * n - n - 1)),
                (n, n, 16 * cubic / 3, 4 * cubic / 3, 64 * cubic / 3),
                (8 * n, 2 * n, vector, 2 * cubic / 3, n * (4 * n * n + 7 * n + 4)),
                (4 * n, 2 * n, vector, 2 * cubic / 3, n * (4 * n * n + 7 * n + 4)),
            ];
            for (variant, (passes, copies, copied_bytes, flops, referenced_bytes)) in
                Variant::ALL.into_iter().zip(printed)
            {
                let expected = Counts {
                    passes,
                    copies,
                    copied_bytes,
                    flops,
                    referenced_bytes,
                };
                let found = counts(variant, Handover::Copy, order, 4).of_2005(variant);
                assert_eq!(found, expected, "{variant} at {n}");
                let exchanged = Counts {
                    copies: 0,
                    copied_bytes: 0,
                    ..expected
                };
                let found = counts(variant, Handover::PingPong, order, 4).of_2005(variant);
                assert_eq!(found, exchanged, "{variant} at {n}");
            }
        }
    }

    #[test]
    fn sums_over_steps_are_the_closed_forms() {
        for n in 1_u128..200 {
            let rows = n.div_ceil(4);
            let lower: u128 = (1..n).map(|i| rows - i / 4).sum();
            let upper: u128 = (1..n).map(|i| (n - i) * (rows - i / 4)).sum();
            assert_eq!(texels(n), (lower, upper), "{n}");
        }
        assert_eq!(counts(Variant::I4, Handover::Copy, 0, 4), Counts::default());
        // What is too large is not wrapped.
        assert_eq!(counts(Variant::I2, Handover::Copy, u32::MAX, 4).flops, u64::MAX);
    }
}
