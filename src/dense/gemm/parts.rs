//! Which tiles of C are computed in parts of the depth, so that the last round of workgroups is not half empty.
//!
//! A device runs some number of workgroups at once, a round (or wave); one tile more takes it twice as long. Of the tiles that
//! are left after whole rounds, each is computed by several workgroups, a part of the depth each, and the parts are added up:
//! as Stream-K does (Osama, Merrill, Cecka, Garland, Owens 2023), but with parts of equal length, so that no workgroup has
//! two tiles.

use crate::scalar::ScalarKind;

/// What tiles are shared out for, and among how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// The tiles that a device computes at once; 0 if all are to be computed whole.
    pub(super) tiles: usize,
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

/// Rounds of parts at most: all of them are kept in memory.
const MOST_ROUNDS: usize = 4;

impl Round {
    /// What becomes of so many tiles: they are computed whole, unless parts save a thirty-second of the time; of the ways to
    /// share them out, then, that take the least time, the one of fewest parts.
    pub(super) fn share_out(&self, tiles: usize) -> Parts {
        let whole = Parts {
            whole: tiles,
            rest: 0,
            parts: 0,
            chunk: 0,
        };
        let rest = if self.tiles == 0 { 0 } else { tiles % self.tiles };
        if rest == 0 {
            return whole;
        }
        let most = (MOST_ROUNDS * self.tiles / rest).min(self.depth / self.part());
        let split = |parts: usize| {
            let chunk = self.depth.div_ceil(parts).next_multiple_of(self.step);
            Parts {
                whole: tiles - rest,
                rest,
                parts: self.depth.div_ceil(chunk),
                chunk,
            }
        };
        let (time, limit) = (|parts: &Parts| self.time(parts), self.time(&whole));
        let best = (2..=most).map(split).min_by_key(time);
        best.filter(|parts| time(parts) < limit - limit / 32).unwrap_or(whole)
    }

    /// How long that takes, in terms of a sum: all of them for a round of whole tiles, and for a round of parts a part's, and
    /// what it costs beside.
    pub(super) fn time(&self, parts: &Parts) -> u64 {
        let rounds = |workgroups: usize| workgroups.div_ceil(self.tiles.max(1)) as u64;
        let part = (parts.chunk + self.part()) as u64;
        rounds(parts.whole) * self.depth as u64 + rounds(parts.rest * parts.parts) * part
    }

    /// What a part costs beside its multiply-adds, since it is written and read again, in terms of its sums: 5 us for a round of
    /// tiles on an H200, which does 10 terms in a microsecond in f32, and one to three in pairs. No part has fewer terms.
    fn part(&self) -> usize {
        match self.scalar {
            ScalarKind::F32 | ScalarKind::F64 => 64,
            ScalarKind::Df64 | ScalarKind::Dd => 16,
        }
    }
}

impl Parts {
    /// The workgroups, of which each has a tile or a part of one.
    pub(super) fn workgroups(&self) -> usize {
        self.whole + self.rest * self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn round(tiles: usize, depth: usize) -> Round {
        Round {
            tiles,
            depth,
            step: 16,
            scalar: ScalarKind::F32,
        }
    }

    #[test]
    fn the_last_round_is_shared_out() {
        // 12 tiles more than a round of 132, in 11 parts: a seventh more time instead of twice as much.
        let parts = round(132, 1472).share_out(144);
        assert_eq!((parts.whole, parts.rest, parts.parts, parts.chunk), (132, 12, 11, 144));
        assert_eq!(parts.workgroups(), 132 + 12 * 11);
        assert_eq!(round(132, 1472).time(&parts), 1472 + 144 + 64);
        // A few tiles only, all of them in parts.
        let parts = round(128, 16_384).share_out(1);
        assert_eq!((parts.whole, parts.rest, parts.parts, parts.chunk), (0, 1, 128, 128));
        // What costs more to multiply is worth more parts.
        let pairs = Round {
            scalar: ScalarKind::Df64,
            ..round(128, 256)
        };
        assert_eq!((pairs.share_out(16).parts, round(128, 256).share_out(16).parts), (8, 4));
    }

    #[test]
    fn what_gains_nothing_is_computed_whole() {
        let cases = [
            (144, 0, 1472),
            (132, 132, 1472),
            (264, 132, 1472),
            (131, 132, 1472),
            (13_200 + 66, 132, 1472),
            (144, 132, 64),
            (144, 132, 0),
        ];
        for (tiles, at_once, depth) in cases {
            let parts = round(at_once, depth).share_out(tiles);
            assert_eq!((parts.whole, parts.rest), (tiles, 0), "{tiles} {at_once} {depth}");
            assert_eq!(parts.workgroups(), tiles);
        }
        let parts = round(132, 64).share_out(144);
        assert_eq!(round(132, 64).time(&parts), 2 * 64);
    }

    /// Whatever is asked for: every term of every tile is in one part, no part is empty, and what is kept is bounded.
    #[test]
    fn parts_cover_the_depth() {
        let mut split = 0;
        for at_once in [0, 1, 8, 128, 132, 512] {
            for tiles in [1, 7, 8, 9, 127, 200, 1000] {
                for depth in [0, 1, 127, 256, 257, 600, 1472, 100_000] {
                    for scalar in [ScalarKind::F32, ScalarKind::Dd] {
                        let round = Round {
                            scalar,
                            ..round(at_once, depth)
                        };
                        let parts = round.share_out(tiles);
                        assert_eq!(parts.whole + parts.rest, tiles);
                        if parts.rest > 0 {
                            split += 1;
                            assert!(parts.parts > 1 && parts.chunk * parts.parts >= depth, "{parts:?}");
                            assert!(parts.chunk * (parts.parts - 1) < depth, "{parts:?}");
                            assert!(parts.rest * parts.parts <= MOST_ROUNDS * at_once, "{parts:?}");
                            assert!(parts.chunk.is_multiple_of(round.step), "{parts:?}");
                        }
                    }
                }
            }
        }
        assert!(split > 100, "{split}");
    }
}
