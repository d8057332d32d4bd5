//! Passes over memory that no cache holds, from the beginning and from the end in turns.
//!
//! A cache keeps what was read last. A pass over more than that, begun where the pass before began, finds nothing of it: what
//! it needs next has just been driven out. Begun where the pass before ended, it finds a cache full (BENCHMARKS.md). So an
//! iteration that reads one matrix again and again reads less of it from memory, and results do not depend on the way.

use std::sync::atomic::{AtomicBool, Ordering};

/// Which way the last pass went.
#[derive(Default)]
pub(crate) struct Turn(AtomicBool);

impl Turn {
    /// Whether the next pass is to begin at the end. What a cache holds is left in one order, in which a multiprocessor meets
    /// again what it read before: that is nearer to it.
    pub(crate) fn next(&self, cached: bool) -> bool {
        !cached && self.0.fetch_xor(true, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_cache_holds_is_gone_through_in_turns() {
        let (one, other) = (Turn::default(), Turn::default());
        let ways = [(); 4].map(|()| one.next(false));
        assert_eq!(ways, [false, true, false, true]);
        assert!(!other.next(false), "each has turns of its own");
    }

    #[test]
    fn what_a_cache_holds_is_left_in_one_order() {
        let turn = Turn::default();
        assert_eq!([(); 3].map(|()| turn.next(true)), [false; 3]);
        let ways = [(); 2].map(|()| turn.next(false));
        assert_eq!(ways, [false, true], "and counts for no turn");
    }
}
