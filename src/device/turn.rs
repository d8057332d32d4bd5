//! Passes over memory that no cache holds, from the beginning and from the end in turns.
//!
//! A cache keeps what was read last. A pass over more than that, begun where the pass before began, finds nothing of it: what
//! it needs next has just been driven out. Begun where the pass before ended, it finds a cache full (BENCHMARKS.md). So an
//! iteration that reads one matrix again and again reads less of it from memory, and results do not depend on the way.

use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are taken to stay in the cache, of elements of 8 bytes and of others. They are left in one order, in which a
/// multiprocessor meets again what it read before: that is nearer to it. No interface tells how large a cache is; these are where
/// an H100, whose cache has 50 MB, begins to gain from turns. A matrix of elements of 8 bytes has as many rows as one of 4 in fewer
/// bytes, and so more workgroups than run at once, of which the last ones meet nothing.
const CACHED: [usize; 2] = [34 << 20, 40 << 20];

/// Whether passes over so many elements of so many bytes take turns.
pub(crate) fn takes_turns(count: usize, size: usize) -> bool {
    count.saturating_mul(size) > CACHED[usize::from(size != 8)]
}

/// Which way the last pass went.
#[derive(Default)]
pub(crate) struct Turn(AtomicBool);

impl Turn {
    /// Whether the next pass, over so many elements of so many bytes, is to begin at the end.
    pub(crate) fn next(&self, count: usize, size: usize) -> bool {
        takes_turns(count, size) && self.0.fetch_xor(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of elements of 4, 8 and 16 bytes.
    const MOST: [(usize, usize); 3] = [(CACHED[1] / 4, 4), (CACHED[0] / 8, 8), (CACHED[1] / 16, 16)];

    #[test]
    fn large_memory_is_gone_through_in_turns() {
        for (most, size) in MOST {
            let (one, other) = (Turn::default(), Turn::default());
            let ways = [(); 4].map(|()| one.next(most + 1, size));
            assert_eq!(ways, [false, true, false, true]);
            assert!(!other.next(most + 1, size), "each has turns of its own");
        }
    }

    #[test]
    fn what_a_cache_holds_is_left_in_one_order() {
        for (most, size) in MOST {
            let turn = Turn::default();
            assert_eq!([(); 3].map(|()| turn.next(most, size)), [false; 3]);
            let ways = [(); 2].map(|()| turn.next(most + 1, size));
            assert_eq!(ways, [false, true], "and counts for no turn");
        }
    }
}
