//! The threads of the host: rayon's, which are there already. Beginning one takes 0.1 ms, as long as a product of 200 x 200, and
//! even to ask how many the machine has takes 20 us on Linux; a share of work reaches a thread that waits in about 10 us.

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};

/// How many there are; in browsers one.
pub(crate) fn available() -> usize {
    if cfg!(target_arch = "wasm32") {
        1
    } else {
        rayon::current_num_threads()
    }
}

/// How many of them to use for what is worth so many.
pub(crate) fn at_most(worth: usize) -> usize {
    if worth < 2 { 1 } else { worth.min(available()) }
}

/// `f` of every item, each a share for a thread; the results in the order of the items.
pub(crate) fn map<I: Send, R: Send>(items: Vec<I>, f: impl Fn(I) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(f).collect();
    }
    items.into_par_iter().with_max_len(1).map(&f).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        for count in [0, 1, 2, 100] {
            assert_eq!(
                map((0..count).collect(), |x| x * x),
                (0..count).map(|x| x * x).collect::<Vec<i32>>()
            );
        }
    }

    #[test]
    fn there_is_always_one() {
        assert_eq!((at_most(0), at_most(1)), (1, 1));
        assert_eq!(at_most(usize::MAX), available());
        assert!(available() > 0);
    }
}
