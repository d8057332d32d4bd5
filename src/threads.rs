//! The threads of the host: whoever asks, and those of a pool that are there already, one for every other core. Beginning one
//! takes 0.1 ms, as long as a product of 200 x 200, and even to ask how many the machine has takes 20 us on Linux; a share of
//! work reaches a thread that waits in some tens of microseconds.
//!
//! Rayon's global pool has as many threads as there are cores, so that one that asks and waits is one too many: Linux then
//! lets two of them take turns on one core for seconds, with another idle (BENCHMARKS.md, products with a sparse
//! matrix on the host).

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};

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

/// `f` of every item, each a share that whoever is free takes next; the results in the order of the items. Who asks takes part, and
/// begins while the others wake.
pub(crate) fn map<I: Send, R: Send>(items: Vec<I>, f: impl Fn(I) -> R + Sync) -> Vec<R> {
    if items.len() < 2 {
        return items.into_iter().map(f).collect();
    }
    let Some(others) = &*OTHERS else {
        return items.into_iter().map(f).collect();
    };
    let helpers = others.current_num_threads().min(items.len() - 1);
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let shares = Mutex::new(items.into_iter().zip(&mut results));
    // Nobody holds it while `f` is at work, which may panic.
    let next = || shares.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        while let Some((item, result)) = next() {
            *result = Some(f(item));
        }
    };
    others.in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| work());
        }
        work();
    });
    drop(shares);
    results.into_iter().flatten().collect()
}

/// As [`map`] of the numbers below `count`, with results handed to `keep` as they come, on the thread that asks; it may end the
/// rest by an error. `f` may ask for threads in turn.
pub(crate) fn map_as_they_come<R: Send, E>(
    count: usize,
    f: impl Fn(usize) -> R + Sync,
    mut keep: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    let Some(others) = OTHERS.as_ref().filter(|_| count > 1) else {
        return (0..count).try_for_each(|number| keep(number, f(number)));
    };
    let (next, ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        (number < count && !ended.load(Ordering::Relaxed)).then_some(number)
    };
    // Nothing instead of a result where a share panicked.
    let (send, receive) = mpsc::channel::<Option<(usize, R)>>();
    others.in_place_scope(|scope| {
        // Also where `f` or `keep` panics here.
        let _end = End(&ended);
        for _ in 0..others.current_num_threads().min(count - 1) {
            let (send, take, f, ended) = (send.clone(), &take, &f, &ended);
            scope.spawn(move |_| {
                while let Some(number) = take() {
                    let result = catch_unwind(AssertUnwindSafe(|| f(number)));
                    // Nobody listens once it has ended.
                    match result {
                        Ok(result) => drop(send.send(Some((number, result)))),
                        Err(panic) => {
                            drop(End(ended));
                            drop(send.send(None));
                            resume_unwind(panic);
                        }
                    }
                }
            });
        }
        let mut left = count;
        while let Some(number) = take() {
            let own = Some((number, f(number)));
            for result in std::iter::once(own).chain(receive.try_iter()) {
                // The scope panics as the share did.
                let Some((number, result)) = result else { return Ok(()) };
                keep(number, result)?;
                left -= 1;
            }
        }
        // Results that are missing are being computed. Those who were to help may not have begun, and do not if this thread is one
        // of theirs and they wait behind it: so it does not wait for them, but for results.
        while left > 0 {
            let Ok(Some((number, result))) = receive.recv() else {
                break;
            };
            keep(number, result)?;
            left -= 1;
        }
        Ok(())
    })
}

/// Ends what is shared out when it goes.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// As [`map`], of items that are too little for a share: neighbours go together, in as many parts as there are threads.
pub(crate) fn map_in_parts<I: Sync, R: Send>(items: &[I], f: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let part = items.len().div_ceil(available()).max(1);
    let results = map(items.chunks(part).collect(), |part| {
        part.iter().map(&f).collect::<Vec<R>>()
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
    fn parts_come_in_order_too() {
        for count in [0, 1, 2, 1000] {
            let items: Vec<i32> = (0..count).collect();
            let squares: Vec<i32> = items.iter().map(|x| x * x).collect();
            assert_eq!(map_in_parts(&items, |x| x * x), squares);
        }
    }

    #[test]
    fn a_panic_is_that_of_who_asks() {
        let panics = |count: u32| {
            let share = |x| assert!(x + 1 < count, "the last one");
            catch_unwind(|| map((0..count).collect(), share)).is_err()
        };
        assert!(panics(2) && panics(100));
        // And the threads are there still.
        assert_eq!(map((0..100).collect(), |x: u32| x).len(), 100);
    }

    #[test]
    fn results_are_kept_as_they_come() {
        for count in [0, 1, 2, 1000] {
            let mut kept = vec![0; count];
            let outcome: Result<(), ()> = map_as_they_come(
                count,
                |number| number * number,
                |number, square| {
                    assert_eq!(square, number * number);
                    kept[number] += 1;
                    Ok(())
                },
            );
            assert!(outcome.is_ok() && kept.iter().all(|times| *times == 1), "{count}");
        }
        let (begun, mut kept) = (AtomicUsize::new(0), 0);
        let outcome = map_as_they_come(
            100_000,
            |_| begun.fetch_add(1, Ordering::Relaxed),
            |_, _| {
                kept += 1;
                if kept < 10 { Ok(()) } else { Err("enough") }
            },
        );
        assert_eq!((outcome, kept), (Err("enough"), 10));
        assert!(begun.into_inner() < 100_000, "the rest is not begun");
    }

    /// What `work` returns; it fails where that takes longer than anything here does.
    fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
        let (send, receive) = mpsc::channel();
        let worker = std::thread::spawn(move || send.send(work()));
        let result = receive.recv_timeout(std::time::Duration::from_secs(60));
        result.unwrap_or_else(|error| panic!("{error}: {:?}", worker.is_finished()))
    }

    #[test]
    fn a_share_may_ask_in_turn() {
        fn sum(depth: u32) -> usize {
            let mut all = 0;
            let outcome: Result<(), ()> = map_as_they_come(
                5,
                |number| number + if depth > 0 { sum(depth - 1) } else { 0 },
                |_, part| {
                    all += part;
                    Ok(())
                },
            );
            assert!(outcome.is_ok());
            all
        }
        for _ in 0..100 {
            assert_eq!(in_time(|| sum(2)), 10 + 5 * (10 + 5 * 10));
        }
        // By way of the other as well, and several that ask at once.
        let sums = in_time(|| map((0..100).collect(), |_: u32| sum(1)));
        assert!(sums.iter().all(|sum| *sum == 10 + 5 * 10));
        let askers: Vec<_> = (0..8).map(|_| std::thread::spawn(|| in_time(|| sum(2)))).collect();
        assert!(askers.into_iter().all(|asker| asker.join().is_ok_and(|sum| sum == 310)));
    }

    #[test]
    fn a_panic_ends_the_rest_and_is_that_of_who_asks() {
        let panics = |count: usize, last: usize, in_keep: bool| {
            in_time(move || {
                let share = |number| assert!(in_keep || number != last, "this one");
                let keep = |number, ()| -> Result<(), ()> {
                    assert!(!in_keep || number != last, "this one");
                    Ok(())
                };
                let outcome = catch_unwind(AssertUnwindSafe(|| map_as_they_come(count, share, keep)));
                assert!(outcome.is_err());
            });
        };
        for last in [0, 1, 2, 3, 100] {
            // The rest would take hours.
            panics(1 << 40, last, false);
            panics(1 << 40, last, true);
        }
        panics(100_000, 99_999, false);
        panics(100_000, 99_999, true);
        // And the threads are there still.
        assert_eq!(map((0..100).collect(), |x: u32| x).len(), 100);
    }

    #[test]
    fn there_is_always_one() {
        assert_eq!((at_most(0), at_most(1)), (1, 1));
        assert_eq!(at_most(usize::MAX), available());
        assert!(available() > 0);
    }
}
