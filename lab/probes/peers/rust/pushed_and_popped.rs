//! What stack and queue have in common: `x` threads each push a number and pop one, over and over. 100 numbers are there
//! before. A thread has pushed before it pops, so the container is never empty.

use crate::kept::Kept;
use crate::percentiles::{keep_times, percentile, was_run, ThreadTimes, CLOCK, READS, STORES};
use crate::threads::{has_processors, run_in_threads, ONE_THREAD, SEVERAL_THREADS};
use crate::workload::{keep, Series};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

const THERE_BEFORE: u64 = 100;
const PAIRS_TIMED_ALONE: u64 = 100_000; // in each thread
const PAIRS_OF_CLOCK: u64 = 10; // as often is the clock timed alone
const PAIRS_COUNTED: u64 = 40_000; // until what was popped is freed, again and again
const PAIRS_IN_PEAK: u64 = 1_000_000;

pub trait Container: Send + Sync {
    fn new() -> Self;
    fn push(&self, number: u64);
    fn pop(&self) -> Option<u64>;
}

pub const fn plot(
    alone: fn(usize, u64),
    at_once: fn(usize, u64),
    time_each: fn(usize, u64),
    clear: fn(),
) -> [Series; 14] {
    let one = Series {
        counted_iterations: PAIRS_COUNTED,
        peak_iterations: PAIRS_IN_PEAK,
        clear,
        ..Series::of("push and pop", ONE_THREAD, alone)
    };
    let several = Series { sizes: SEVERAL_THREADS, work: at_once, starts_threads: true, fits: has_processors, ..one };
    [
        one,
        several,
        percentile::<STORES, 5000>("push, p50", time_each),
        percentile::<STORES, 9900>("push, p99", was_run),
        percentile::<STORES, 9990>("push, p99.9", was_run),
        percentile::<STORES, 9999>("push, p99.99", was_run),
        percentile::<READS, 5000>("pop, p50", was_run),
        percentile::<READS, 9900>("pop, p99", was_run),
        percentile::<READS, 9990>("pop, p99.9", was_run),
        percentile::<READS, 9999>("pop, p99.99", was_run),
        percentile::<CLOCK, 5000>("clock alone, p50", was_run),
        percentile::<CLOCK, 9900>("clock alone, p99", was_run),
        percentile::<CLOCK, 9990>("clock alone, p99.9", was_run),
        percentile::<CLOCK, 9999>("clock alone, p99.99", was_run),
    ]
}

/// The first numbers are pushed by a thread that then ends: an idle one may keep what it could not free at once.
fn filled<C: Container>(kept: &Kept<C>) -> Arc<C> {
    kept.get_or_make(|| {
        let made = C::new();
        run_in_threads(1, |_| (0..THERE_BEFORE).for_each(|number| made.push(number)));
        made
    })
}

fn push_and_pop(container: &impl Container, pairs: u64) {
    for done in 0..pairs {
        container.push(done);
        keep(&mut container.pop());
    }
}

/// What a push and a pop take when nobody is in their way can be counted.
pub fn alone<C: Container>(kept: &Kept<C>, pairs: u64) {
    push_and_pop(&*filled(kept), pairs);
}

pub fn at_once<C: Container>(kept: &Kept<C>, threads: usize, pairs: u64) {
    let container = filled(kept);
    run_in_threads(threads, |_| push_and_pop(&*container, pairs));
}

/// Each push is timed as a store, and each pop as a read.
pub fn time_each<C: Container>(kept: &Kept<C>, threads: usize) {
    let container = filled(kept);
    let all = Mutex::new(ThreadTimes::start());
    run_in_threads(threads, |_| {
        let mut own = ThreadTimes::start();
        for done in 0..PAIRS_TIMED_ALONE {
            container.push(done);
            own.lap(STORES);
            keep(&mut container.pop());
            own.lap(READS);
            if done % PAIRS_OF_CLOCK == 0 {
                own.lap(CLOCK);
            }
        }
        all.lock().unwrap().add(&own);
    });
    kept.clear();
    keep_times(threads, all.into_inner().unwrap());
}

/// Pushes numbers that are all different. Returns how many were popped exactly once.
pub fn checksum<C: Container>() -> u64 {
    const THREADS: usize = 2;
    const PAIRS: usize = 32_000; // enough that threads meet on a busy machine
    let container = C::new();
    let popped: Vec<AtomicU64> = (0..2 * THREADS * PAIRS).map(|_| AtomicU64::new(0)).collect();
    let count = |number: u64| popped[number as usize].fetch_add(1, Ordering::Relaxed);
    run_in_threads(THREADS, |thread| {
        for done in 0..PAIRS {
            container.push((thread * PAIRS + done) as u64);
            container.pop().map(count);
            if done % 16 == 0 {
                container.push(((THREADS + thread) * PAIRS + done) as u64); // it grows meanwhile
            }
        }
    });
    while container.pop().map(count).is_some() {}
    popped.iter().filter(|times| times.load(Ordering::Relaxed) == 1).count() as u64
}
