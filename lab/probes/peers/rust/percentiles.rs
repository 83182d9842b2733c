//! Percentiles of how long single operations of threads take, in the processor time of their thread, as in C++.

use crate::histogram::Histogram;
use crate::threads::{has_processors, SEVERAL_THREADS};
use crate::timing::thread_nanoseconds;
use crate::workload::Series;
use std::sync::Mutex;

pub const READS: usize = 0;
pub const STORES: usize = 1;
pub const CLOCK: usize = 2;

pub struct ThreadTimes {
    taken: [Histogram; 3],
    started: u64,
}

impl ThreadTimes {
    pub fn start() -> ThreadTimes {
        let empty = Histogram::new();
        ThreadTimes { taken: [empty.clone(), empty.clone(), empty], started: thread_nanoseconds() }
    }

    /// Adds the time since the last lap to one of the three. A lap contains one reading of the clock.
    pub fn lap(&mut self, which: usize) {
        let ended = thread_nanoseconds();
        self.taken[which].add(ended - self.started);
        self.started = ended;
    }

    pub fn add(&mut self, other: &ThreadTimes) {
        self.taken.iter_mut().zip(&other.taken).for_each(|(mine, theirs)| mine.add_all(theirs));
    }
}

/// Of each run, with its number of threads.
static KEPT: Mutex<Vec<(usize, ThreadTimes)>> = Mutex::new(Vec::new());

pub fn keep_times(threads: usize, times: ThreadTimes) {
    KEPT.lock().unwrap().push((threads, times));
}

/// A part is one of ten thousand.
fn tell<const WHICH: usize, const PARTS: usize>(threads: usize) -> f64 {
    let kept = KEPT.lock().unwrap();
    let (_, times) = kept.iter().rfind(|(each, _)| *each == threads).expect("times that were kept");
    times.taken[WHICH].quantile(PARTS as f64 / 10_000.0).max(1) as f64 // ratios are made of it
}

/// What an earlier series has measured.
pub fn was_run(_: usize, _: u64) {}

pub const fn percentile<const WHICH: usize, const PARTS: usize>(name: &'static str, work: fn(usize, u64)) -> Series {
    Series {
        starts_threads: true,
        fits: has_processors,
        tell: Some(tell::<WHICH, PARTS>),
        ..Series::of(name, SEVERAL_THREADS, work)
    }
}
