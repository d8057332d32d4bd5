//! Passes over memory that no cache holds, from the beginning and from the end in turns.
//!
//! A cache keeps what was read last. A pass over more than that, begun where the pass before began, finds nothing of it: what
//! it needs next has just been driven out. Begun where the pass before ended, it finds a cache full (BENCHMARKS.md). So an
//! iteration that reads one matrix again and again reads less of it from memory, and results do not depend on the way.

use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that are taken to stay in the cache. They are left in one order, in which a multiprocessor meets again what it read
/// before: that is nearer to it. No interface tells how large a cache is; this is where an H200, which has 50 MB, begins to
/// gain.
const CACHED: usize = 46 << 20;

/// Whether passes over so many bytes take turns.
pub(crate) const fn takes_turns(bytes: usize) -> bool {
    bytes > CACHED
}

/// Which way the last pass went.
#[derive(Default)]
pub(crate) struct Turn(AtomicBool);

impl Turn {
    /// Whether the next pass, over so many bytes, is to begin at the end.
    pub(crate) fn next(&self, bytes: usize) -> bool {
        takes_turns(bytes) && self.0.fetch_xor(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_is_gone_through_in_turns() {
        let (one, other) = (Turn::default(), Turn::default());
        let ways = [(); 4].map(|()| one.next(CACHED + 1));
        assert_eq!(ways, [false, true, false, true]);
        assert!(!other.next(CACHED + 1), "each has turns of its own");
    }

    #[test]
    fn what_a_cache_holds_is_left_in_one_order() {
        let turn = Turn::default();
        assert_eq!([(); 3].map(|()| turn.next(CACHED)), [false; 3]);
        assert_eq!(
            [(); 2].map(|()| turn.next(CACHED + 1)),
            [false, true],
            "and counts for no turn"
        );
    }
}
