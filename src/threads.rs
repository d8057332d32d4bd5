//! The threads of the host: whoever asks, and those of a pool that are there already, one for every other core. Beginning one
//! takes 0.1 ms, as long as a product of 200 x 200, and even to ask how many the machine has takes 20 us on Linux; a share of
//! work reaches a thread that waits in some tens of microseconds.
//!
//! Rayon's global pool has as many threads as there are cores, so that one that asks and waits is one too many: Linux then
//! lets two of them take turns on one core for seconds, with another idle (BENCHMARKS.md, products with a sparse
//! matrix on the host).

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// None where there are no threads, as in browsers, or no other core.
static OTHERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let others = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    let pool = ThreadPoolBuilder::new()
        .num_threads(others)
        .thread_name(|index| format!("nonius {index}"));
    // Rayon takes 0 threads for as many as there are cores.
    if others > 0 { pool.build().ok() } else { None }
});

/// How many there are.
pub(crate) fn available() -> usize {
    1 + OTHERS.as_ref().map_or(0, ThreadPool::current_num_threads)
}

/// How many of them to use for what is worth so many.
pub(crate) fn at_most(worth: usize) -> usize {
    if worth < 2 { 1 } else { worth.min(available()) }
}

/// `f` of every item, each a share for a thread; the results in the order of the items. The first share is done by who asks.
pub(crate) fn map<I: Send, R: Send>(items: Vec<I>, f: impl Fn(I) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(f).collect();
    }
    let Some(others) = &*OTHERS else {
        return items.into_iter().map(f).collect();
    };
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    others.in_place_scope(|scope| {
        let f = &f;
        let mut shares = items.into_iter().zip(&mut results);
        let own = shares.next();
        for (item, result) in shares {
            scope.spawn(move |_| *result = Some(f(item)));
        }
        if let Some((item, result)) = own {
            *result = Some(f(item));
        }
    });
    results.into_iter().flatten().collect()
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
