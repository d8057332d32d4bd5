//! Which tiles of C are computed in parts of the depth, so that no multiprocessor waits for others at the end.
//!
//! Each multiprocessor of a device takes as many workgroups as it has room for. When all are full again and again, the tiles
//! that are left at the end keep few of them at work; and one that has a single workgroup waits for memory and barriers where
//! several would take turns. So the last tiles are computed by several workgroups each, a part of the depth each, and the parts
//! are added up: as Stream-K does (Osama, Merrill, Cecka, Garland, Owens 2023), but with parts of equal length, so that no
//! workgroup has two tiles.

use crate::scalar::ScalarKind;

/// How tiles of a product run on a device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    /// Those of the device; 0 if all tiles are to be computed whole.
    pub(super) multiprocessors: usize,
    /// The workgroups that share one.
    pub(super) occupancy: usize,
    /// The invocations of a workgroup, which computes a tile or a part.
    pub(super) invocations: usize,
    /// The terms of each sum.
    pub(super) depth: usize,
    /// How many of them are taken at a time.
    pub(super) step: usize,
    /// What is summed up.
    pub(super) scalar: ScalarKind,
}

/// The tiles of a call, and what becomes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// Tiles that are computed whole.
    pub(super) whole: usize,
    /// Those after them.
    pub(super) rest: usize,
    /// The parts of each of these; none of them is empty.
    pub(super) parts: usize,
    /// The depth of a part.
    pub(super) chunk: usize,
}

/// Parts for every multiprocessor at most: all of them are kept in memory.
const MOST_EACH: usize = 6;

/// The invocations that keep a multiprocessor busy.
const BUSY: usize = 384;

impl Tiling {
    /// What becomes of so many tiles: all but the last are computed whole, and these in parts, if that takes less time; of the
    /// ways that take as long, in fewest.
    pub(super) fn share_out(&self, tiles: usize) -> Parts {
        let whole = Parts::whole(tiles);
        let all = self.multiprocessors;
        if all == 0 {
            return whole;
        }
        // Either what is left when all multiprocessors have been full: its parts have the device for themselves. Or less, whose parts
        // run beside whole tiles, at most one for a multiprocessor: more of them do not spread evenly (BENCHMARKS.md).
        let [alone, beside] = [tiles % (all * self.occupancy), tiles % all];
        let alone = (1..=MOST_EACH).map(|each| (alone, each * all));
        let ways = alone.chain([(beside, all - 1)]);
        let divided = ways.filter_map(|(rest, workgroups)| {
            let parts = workgroups.checked_div(rest)?.min(self.depth / self.part());
            if parts < 2 {
                return None;
            }
            let chunk = self.depth.div_ceil(parts).next_multiple_of(self.step);
            Some(Parts {
                whole: tiles - rest,
                rest,
                parts: self.depth.div_ceil(chunk),
                chunk,
            })
        });
        let ways = std::iter::once(whole).chain(divided);
        ways.min_by(|p, q| self.time(p).total_cmp(&self.time(q)))
            .unwrap_or(whole)
    }

    /// How long that takes the multiprocessor that has most to do, in terms of a sum of a tile where it is as busy as it can be.
    pub(super) fn time(&self, parts: &Parts) -> f64 {
        let each = |workgroups: usize| workgroups.div_ceil(self.multiprocessors.max(1));
        let (tiles, depth) = (each(parts.whole), self.depth as f64);
        if parts.rest == 0 {
            return self.turns(tiles) * depth;
        }
        let part = (parts.chunk + self.part()) as f64;
        let last = tiles % self.occupancy;
        let together = if last == 0 {
            self.turns(each(parts.rest * parts.parts)) * part
        } else {
            // One part beside them, which ends first.
            self.turns(last + 1) * part + self.turns(last) * (depth - part).max(0.0)
        };
        // Parts are added up in a dispatch of its own.
        (tiles - last) as f64 * depth + together + self.part() as f64
    }

    /// The tiles that a device could compute, all of them whole and none waiting, in the time that so many take it.
    pub(super) fn as_whole(&self, tiles: usize) -> u64 {
        if self.multiprocessors == 0 || self.depth == 0 {
            return tiles as u64;
        }
        let each = self.time(&self.share_out(tiles)) / self.depth as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of tiles"
        )]
        let all = (self.multiprocessors as f64 * each).ceil() as u64;
        all
    }

    /// How many workgroups a multiprocessor with room for no more could compute in the time that so many take it.
    fn turns(&self, workgroups: usize) -> f64 {
        let last = workgroups % self.occupancy;
        (workgroups - last) as f64 + if last > 0 { last as f64 / self.busy(last) } else { 0.0 }
    }

    /// How fast a multiprocessor is that so many workgroups share, beside one that is shared by as many as can. On an H200 in
    /// f32, 128 invocations do three quarters of what 384 do, and 256 seven eighths; with fewer than 128, some of its
    /// schedulers have none.
    fn busy(&self, workgroups: usize) -> f64 {
        let speed = |workgroups: usize| match workgroups * self.invocations {
            few @ ..128 => 0.75 * few as f64 / 128.0,
            some => 0.625 + 0.375 * some.min(BUSY) as f64 / BUSY as f64,
        };
        speed(workgroups) / speed(self.occupancy)
    }

    /// What a part costs beside its multiply-adds, since it is written and read again, in terms of its sums: 3 us on an H200, where
    /// a term of the tiles that are fastest takes 45 ns in f32, and 100 in f64. No part has fewer terms, and the dispatch that adds
    /// parts up takes about as long.
    fn part(&self) -> usize {
        match self.scalar {
            ScalarKind::F32 => 64,
            ScalarKind::F64 => 32,
            ScalarKind::Df64 | ScalarKind::Dd => 16,
        }
    }
}

impl Parts {
    /// So many tiles, none of them in parts.
    fn whole(tiles: usize) -> Self {
        Self {
            whole: tiles,
            rest: 0,
            parts: 0,
            chunk: 0,
        }
    }

    /// The workgroups, of which each has a tile or a part of one.
    pub(super) fn workgroups(&self) -> usize {
        self.whole + self.rest * self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tiles of 64 x 128, of which three share a multiprocessor.
    const fn tiling(multiprocessors: usize, depth: usize) -> Tiling {
        Tiling {
            multiprocessors,
            occupancy: 3,
            invocations: 128,
            depth,
            step: 16,
            scalar: ScalarKind::F32,
        }
    }

    /// Tiles of 128 x 128, of which each has a multiprocessor for itself.
    const fn large(multiprocessors: usize, depth: usize) -> Tiling {
        Tiling {
            occupancy: 1,
            invocations: 256,
            ..tiling(multiprocessors, depth)
        }
    }

    fn counts(parts: Parts) -> [usize; 4] {
        [parts.whole, parts.rest, parts.parts, parts.chunk]
    }

    #[test]
    fn the_last_tiles_are_shared_out() {
        // 12 tiles more than there are multiprocessors, in 11 parts: a fifth more time instead of twice as much.
        let parts = large(132, 1472).share_out(144);
        assert_eq!(counts(parts), [132, 12, 11, 144]);
        assert_eq!(parts.workgroups(), 132 + 12 * 11);
        assert_eq!(large(132, 1472).time(&parts), f64::from(1472 + 144 + 64 + 64));
        // Fewer tiles than multiprocessors, in so many parts that each has three of them.
        let parts = tiling(132, 896).share_out(98);
        assert_eq!(counts(parts), [0, 98, 4, 224]);
        assert_eq!(tiling(132, 896).time(&parts), f64::from(3 * (224 + 64) + 64));
        // Or beside whole tiles, a part for most of them.
        assert_eq!(counts(tiling(132, 1152).share_out(153)), [132, 21, 6, 192]);
        // A few tiles only, all of them in parts.
        let parts = large(128, 16_384).share_out(1);
        assert_eq!(counts(parts), [0, 1, 128, 128]);
        // What costs more to multiply is worth more parts.
        let pairs = Tiling {
            scalar: ScalarKind::Df64,
            ..large(128, 256)
        };
        assert_eq!((pairs.share_out(16).parts, large(128, 256).share_out(16).parts), (8, 4));
    }

    #[test]
    fn the_time_is_that_of_the_busiest() {
        let (one, two) = (0.75, 0.875);
        let of = tiling(100, 1000);
        let cases = [
            (0, 0.0),
            (1, 1000.0 / one),
            (100, 1000.0 / one),
            (101, 2000.0 / two),
            (201, 3000.0),
            (301, 3000.0 + 1000.0 / one),
        ];
        for (tiles, expected) in cases {
            assert!((of.time(&Parts::whole(tiles)) - expected).abs() < 1e-9, "{tiles}");
        }
        // Five parts each after the whole tiles, three of them at once and then two.
        let parts = Parts {
            whole: 600,
            rest: 120,
            parts: 4,
            chunk: 256,
        };
        let expected = 6000.0 + 320.0 * (3.0 + 2.0 / two) + 64.0;
        assert!((of.time(&parts) - expected).abs() < 1e-9);
        // A part beside a whole tile, which then goes on alone.
        let parts = Parts {
            whole: 400,
            rest: 24,
            ..parts
        };
        let expected = 3000.0 + 2.0 * 320.0 / two + (1000.0 - 320.0) / one + 64.0;
        assert!((of.time(&parts) - expected).abs() < 1e-9);
    }

    #[test]
    fn parts_count_as_the_whole_tiles_of_their_time() {
        let of = |multiprocessors| large(multiprocessors, 1472);
        assert_eq!(
            (of(0).as_whole(144), of(132).as_whole(131), of(132).as_whole(132)),
            (144, 132, 132)
        );
        // 1472 + 144 + 64 + 64 terms.
        assert_eq!(of(132).as_whole(144), (132 * 1744_u64).div_ceil(1472));
    }

    #[test]
    fn what_gains_nothing_is_computed_whole() {
        let cases = [
            (144, 0, 1472),
            (132, 132, 1472),
            (264, 132, 1472),
            (131, 132, 1472),
            (13_200 + 66, 132, 128),
            (396, 132, 1472),
            (144, 132, 64),
            (144, 132, 0),
            (0, 132, 1472),
        ];
        for (tiles, multiprocessors, depth) in cases {
            let parts = large(multiprocessors, depth).share_out(tiles);
            assert_eq!(
                (parts.whole, parts.rest),
                (tiles, 0),
                "{tiles} {multiprocessors} {depth}"
            );
            assert_eq!(parts.workgroups(), tiles);
        }
    }

    /// Whatever is asked for: every term of every tile is in one part, no part is empty, what is kept is bounded, and it takes no
    /// longer than whole tiles.
    #[test]
    fn parts_cover_the_depth() {
        let mut split = 0;
        for multiprocessors in [0, 1, 8, 128, 132, 512] {
            for tiles in [1, 7, 8, 9, 60, 127, 150, 200, 300, 1000] {
                for depth in [0, 1, 127, 256, 257, 600, 1472, 100_000] {
                    let of_pairs = Tiling {
                        scalar: ScalarKind::Dd,
                        ..tiling(multiprocessors, depth)
                    };
                    for of in [tiling(multiprocessors, depth), large(multiprocessors, depth), of_pairs] {
                        let parts = of.share_out(tiles);
                        assert_eq!(parts.whole + parts.rest, tiles);
                        if parts.rest > 0 {
                            split += 1;
                            assert!(parts.parts > 1 && parts.chunk * parts.parts >= depth, "{parts:?}");
                            assert!(parts.chunk * (parts.parts - 1) < depth, "{parts:?}");
                            assert!(parts.rest * parts.parts <= MOST_EACH * multiprocessors, "{parts:?}");
                            assert!(parts.chunk.is_multiple_of(of.step), "{parts:?}");
                            assert!(of.time(&parts) < of.time(&Parts::whole(tiles)), "{parts:?}");
                        }
                    }
                }
            }
        }
        assert!(split > 100, "{split}");
    }
}
