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

/// The terms of a part at least.
const LEAST: usize = 32;

/// What parts must take of the time of whole tiles: among many of these, ends even out a little by themselves.
const WORTHWHILE: f64 = 0.985;

impl Tiling {
    /// What becomes of so many tiles: all but the last are computed whole, and these in parts, if that takes less time; of the
    /// ways that take as long, in fewest.
    pub(super) fn share_out(&self, tiles: usize) -> Parts {
        let whole = Parts::whole(tiles);
        let all = self.multiprocessors;
        if all == 0 {
            return whole;
        }
        let mut best = (WORTHWHILE * self.time(&whole), whole);
        let mut last = (0, 0);
        for abreast in [1, 2.min(self.occupancy), self.occupancy] {
            let rest = tiles % (all * abreast);
            if rest == last.0 {
                continue;
            }
            // One part less than would begin to fill multiprocessors one after the other (`time`).
            for workgroups in (1..=MOST_EACH).flat_map(|each| [each * all - 1, each * all]) {
                let parts = workgroups.checked_div(rest).unwrap_or(0).min(self.depth / LEAST);
                if parts < 2 || (rest, parts) == last {
                    continue;
                }
                last = (rest, parts);
                let chunk = self.depth.div_ceil(parts).next_multiple_of(self.step);
                let divided = Parts {
                    whole: tiles - rest,
                    rest,
                    parts: self.depth.div_ceil(chunk),
                    chunk,
                };
                let time = self.time(&divided);
                if time < best.0 {
                    best = (time, divided);
                }
            }
        }
        best.1
    }

    /// How long that takes the multiprocessor that has most to do, in terms of a sum of a tile where it is as busy as it can be.
    ///
    /// A device hands workgroups out in their order: first as many to each multiprocessor, one after the other, as there are for
    /// each, or as have room; and then one wherever one ends (measured on an H200, BENCHMARKS.md).
    pub(super) fn time(&self, parts: &Parts) -> f64 {
        let (all, room) = (self.multiprocessors.max(1), self.occupancy);
        let at_once = (parts.workgroups() / all).clamp(1, room);
        // Tiles and parts of the multiprocessor that has most.
        let filled = |workgroups: usize| workgroups.div_ceil(all * room) * room;
        let mut wholes = parts.whole.div_ceil(all);
        let mut pieces = (parts.rest * parts.parts).div_ceil(all);
        if (1..=all * room).contains(&parts.whole) {
            wholes = wholes.max(at_once);
        } else if self.in_step() {
            wholes = filled(parts.whole);
        }
        if self.in_step() && parts.whole > 0 && parts.whole.is_multiple_of(all * room) {
            pieces = filled(parts.rest * parts.parts);
        }
        let last = wholes % room;
        let (cost, sum) = self.part();
        let sum = if parts.rest > 0 { sum } else { 0 };
        ((wholes - last) * self.depth + sum) as f64 + self.together(last, pieces, (parts.chunk + cost) as f64)
    }

    /// How long a multiprocessor takes for so many tiles, for more of which it has room, and the parts that run beside them.
    fn together(&self, tiles: usize, mut parts: usize, part: f64) -> f64 {
        let takes = |workgroups: usize| workgroups as f64 / self.speed(workgroups);
        let (mut tiles, mut left, mut time) = (tiles, self.depth as f64, 0.0);
        while parts > 0 {
            let some = parts.min(self.occupancy - tiles);
            parts -= some;
            let beside = if tiles > 0 { part.min(left) } else { 0.0 };
            time += beside * takes(tiles + some) + (part - beside) * takes(some);
            left -= beside;
            if left <= 0.0 {
                tiles = 0;
            }
        }
        if tiles > 0 { time + left * takes(tiles) } else { time }
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

    /// How fast a multiprocessor is that so many workgroups share, beside one that is shared by as many as can.
    fn speed(&self, workgroups: usize) -> f64 {
        let by_invocations = |workgroups: usize| {
            let invocations = (workgroups * self.invocations) as f64;
            match self.scalar {
                // With fewer than 128, some schedulers have none; with more, they wait less.
                ScalarKind::F32 | ScalarKind::F64 if invocations < 128.0 => 0.8 * invocations / 128.0,
                ScalarKind::F32 | ScalarKind::F64 if invocations < 256.0 => 0.68 + 0.24 * invocations / 256.0,
                ScalarKind::F32 | ScalarKind::F64 => 0.76 + 0.24 * (invocations / 384.0).min(1.0),
                // Pairs are chains of operations, which wait for one another and not for memory.
                ScalarKind::Df64 | ScalarKind::Dd => (invocations / 256.0).min(1.0),
            }
        };
        by_invocations(workgroups) / by_invocations(self.occupancy)
    }

    /// Whether the workgroups that share a multiprocessor end together, so that it takes as many again at once: where each of its
    /// schedulers has two subgroups of f32, which take turns.
    const fn in_step(&self) -> bool {
        matches!(self.scalar, ScalarKind::F32) && self.occupancy == 2 && self.invocations == 128
    }

    /// What a part costs beside its multiply-adds, since it is written, and what it costs to add parts up, in terms of a sum.
    const fn part(&self) -> (usize, usize) {
        match self.scalar {
            ScalarKind::F32 => (40, 20),
            ScalarKind::F64 => (28, 20),
            ScalarKind::Df64 | ScalarKind::Dd => (4, 4),
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

    /// Tiles of 96 x 128, of which two share a multiprocessor.
    const fn fullest(multiprocessors: usize, depth: usize) -> Tiling {
        Tiling {
            occupancy: 2,
            ..tiling(multiprocessors, depth)
        }
    }

    fn counts(parts: Parts) -> [usize; 4] {
        [parts.whole, parts.rest, parts.parts, parts.chunk]
    }

    /// What was fastest on an H200 of all ways to share out (BENCHMARKS.md).
    #[test]
    fn the_last_tiles_are_shared_out() {
        // 12 tiles more than there are multiprocessors, in 11 parts: a seventh more time instead of twice as much.
        let parts = large(132, 1472).share_out(144);
        assert_eq!(counts(parts), [132, 12, 11, 144]);
        assert_eq!(parts.workgroups(), 132 + 12 * 11);
        assert_eq!(large(132, 1472).time(&parts), f64::from(1472 + 144 + 40 + 20));
        // Fewer tiles than multiprocessors, in so many parts that each has three of them.
        let parts = tiling(132, 896).share_out(98);
        assert_eq!(counts(parts), [0, 98, 4, 224]);
        assert_eq!(tiling(132, 896).time(&parts), f64::from(3 * (224 + 40) + 20));
        // Beside whole tiles, a part for most of them: with one for all, two whole tiles would come first to half of them.
        assert_eq!(counts(fullest(132, 1280).share_out(140)), [132, 8, 16, 80]);
        assert_eq!(counts(tiling(132, 1152).share_out(153)), [132, 21, 6, 192]);
        // Behind a full device, as many as fill it again.
        assert_eq!(counts(fullest(132, 2048).share_out(352)), [264, 88, 3, 688]);
        // A few tiles only, all of them in parts.
        assert_eq!(counts(large(128, 16_384).share_out(1)), [0, 1, 128, 128]);
        // What costs more to multiply is worth more parts.
        let pairs = Tiling {
            scalar: ScalarKind::Df64,
            ..large(128, 64)
        };
        assert_eq!((pairs.share_out(16).parts, large(128, 64).share_out(16).parts), (2, 0));
    }

    #[test]
    fn the_time_is_that_of_the_busiest() {
        let (one, two) = (0.8, 0.92);
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
        let expected = 6000.0 + 296.0 * (3.0 + 2.0 / two) + 20.0;
        assert!((of.time(&parts) - expected).abs() < 1e-9);
        // A part beside a whole tile, which then goes on alone.
        let parts = Parts {
            whole: 400,
            rest: 24,
            ..parts
        };
        let expected = 3000.0 + 2.0 * 296.0 / two + (1000.0 - 296.0) / one + 20.0;
        assert!((of.time(&parts) - expected).abs() < 1e-9);
    }

    /// A whole tile for each multiprocessor and a part or two beside it; but with as many workgroups as fill the device, some
    /// multiprocessors get three of the whole tiles.
    #[test]
    fn multiprocessors_are_filled_one_after_the_other() {
        let of = tiling(100, 1000);
        let beside = |parts: usize| Parts {
            whole: 100,
            rest: 10,
            parts,
            chunk: 100,
        };
        let spread = 2.0 * 140.0 / 0.92 + (1000.0 - 140.0) / 0.8 + 20.0;
        assert!((of.time(&beside(9)) - spread).abs() < 1e-9);
        assert!(of.time(&beside(10)) > 2000.0);
        assert!(of.time(&beside(20)) > 3000.0);
        // Of two that end together, the next two take the place.
        let of = fullest(100, 1000);
        assert_eq!(
            [200, 201, 400].map(|tiles| of.time(&Parts::whole(tiles))),
            [2000.0, 4000.0, 4000.0]
        );
        let parts = Parts {
            whole: 200,
            rest: 50,
            parts: 5,
            chunk: 200,
        };
        assert_eq!(of.time(&parts), 2000.0 + 4.0 * 240.0 + 20.0);
    }

    #[test]
    fn parts_count_as_the_whole_tiles_of_their_time() {
        let of = |multiprocessors| large(multiprocessors, 1472);
        assert_eq!(
            (of(0).as_whole(144), of(132).as_whole(131), of(132).as_whole(132)),
            (144, 132, 132)
        );
        // 1472 + 144 + 40 + 20 terms.
        assert_eq!(of(132).as_whole(144), (132 * 1676_u64).div_ceil(1472));
    }

    #[test]
    fn what_gains_nothing_is_computed_whole() {
        let cases = [
            (144, 0, 1472),
            (132, 132, 1472),
            (264, 132, 1472),
            (131, 132, 1472),
            (13_200 + 66, 132, 96),
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
