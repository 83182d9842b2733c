//! published: one of `x` threads replaces an object as fast as it can and does nothing else. The others read it all the
//! time, until that one is done.

use crate::alive_objects::{Count, Counted, NotCounted};
use crate::percentiles::{keep_times, percentile, was_run, ThreadTimes, CLOCK, READS, STORES};
use crate::replaced_object::Settings;
use crate::strategy::Place;
use crate::threads::{has_processors, run_in_threads, SEVERAL_THREADS};
use crate::workload::{keep, Series, Workload};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

pub const WORKLOAD: Workload = Workload {
    name: "published",
    plot: &[
        Series {
            starts_threads: true,
            fits: has_processors,
            peak_iterations: WEIGHED_ITERATIONS,
            tell: Some(one_of::<0>),
            unfreed: Some(unfreed),
            ..Series::of("store", SEVERAL_THREADS, at_once)
        },
        Series {
            starts_threads: true,
            fits: has_processors,
            tell: Some(one_of::<1>),
            ..Series::of("read", SEVERAL_THREADS, was_run)
        },
        percentile::<STORES, 5000>("store, p50", time_each),
        percentile::<STORES, 9900>("store, p99", was_run),
        percentile::<STORES, 9990>("store, p99.9", was_run),
        percentile::<STORES, 9999>("store, p99.99", was_run),
        percentile::<READS, 5000>("100 reads, p50", was_run),
        percentile::<READS, 9900>("100 reads, p99", was_run),
        percentile::<READS, 9990>("100 reads, p99.9", was_run),
        percentile::<READS, 9999>("100 reads, p99.99", was_run),
        percentile::<CLOCK, 5000>("clock alone, p50", was_run),
        percentile::<CLOCK, 9900>("clock alone, p99", was_run),
        percentile::<CLOCK, 9990>("clock alone, p99.9", was_run),
        percentile::<CLOCK, 9999>("clock alone, p99.99", was_run),
    ],
    checksum,
};

const READS_AT_ONCE: u64 = 100;
const STORES_OF_ITERATION: u64 = 100_000;
const WEIGHED_ITERATIONS: u64 = 3;
const STORES_OF_CLOCK: u64 = 10; // as often is the clock timed alone

/// The wall-clock time that operations of the same kind took.
#[derive(Clone, Copy, Default)]
struct Throughput {
    operations: u64,
    nanoseconds: f64,
}

impl Throughput {
    fn add(&mut self, operations: u64, taken: Duration) {
        self.operations += operations;
        self.nanoseconds += taken.as_nanos() as f64;
    }
}

/// Of stores, and of reads.
type Rates = [Throughput; 2];

fn publish<C: Count, const TIMED: bool>(threads: usize, stores: u64) -> (Rates, ThreadTimes) {
    let place = Place::new(Settings::<C>::new(0));
    let is_over = AtomicBool::new(false);
    let all = Mutex::new((Rates::default(), ThreadTimes::start()));
    run_in_threads(threads, |thread| {
        let mut own = ThreadTimes::start();
        let started = Instant::now();
        let done = if thread == 0 {
            write::<C, TIMED>(&place, &is_over, stores, &mut own)
        } else {
            read::<C, TIMED>(&place, &is_over, &mut own)
        };
        let taken = started.elapsed();
        let (rates, times) = &mut *all.lock().unwrap();
        rates[usize::from(thread != 0)].add(done, taken);
        times.add(&own);
    });
    all.into_inner().unwrap()
}

/// Returns the number of stores.
fn write<C: Count, const TIMED: bool>(
    place: &Place<Settings<C>>,
    is_over: &AtomicBool,
    stores: u64,
    own: &mut ThreadTimes,
) -> u64 {
    for version in 1..=stores {
        place.replace(Settings::new(version));
        if TIMED {
            own.lap(STORES);
            if version % STORES_OF_CLOCK == 0 {
                own.lap(CLOCK);
            }
        }
    }
    is_over.store(true, Ordering::Relaxed); // nothing is read that this thread has written
    stores
}

/// Returns the number of reads.
fn read<C: Count, const TIMED: bool>(place: &Place<Settings<C>>, is_over: &AtomicBool, own: &mut ThreadTimes) -> u64 {
    let reader = &mut place.reader();
    let mut reads = 0;
    loop {
        for _ in 0..READS_AT_ONCE {
            reader.read(|seen| keep(&mut { seen.version }));
        }
        reads += READS_AT_ONCE;
        if TIMED {
            own.lap(READS);
        }
        if is_over.load(Ordering::Relaxed) {
            return reads;
        }
    }
}

/// Of each run, with its number of threads.
static RATES: Mutex<Vec<(usize, Rates)>> = Mutex::new(Vec::new());

/// The number of iterations is given, for on a busy machine the readers may spend much time without the writer.
fn at_once(threads: usize, iterations: u64) {
    let (rates, _) = publish::<NotCounted, false>(threads, iterations * STORES_OF_ITERATION);
    RATES.lock().unwrap().push((threads, rates));
}

fn one_of<const WHICH: usize>(threads: usize) -> f64 {
    let kept = RATES.lock().unwrap();
    let (_, rates) = kept.iter().rfind(|(each, _)| *each == threads).expect("rates that were kept");
    rates[WHICH].nanoseconds / rates[WHICH].operations as f64
}

fn time_each(threads: usize, _: u64) {
    let (_, times) = publish::<NotCounted, true>(threads, STORES_OF_ITERATION);
    keep_times(threads, times);
}

/// All that are alive but the current one and the next one, which is made before it is stored.
fn unfreed(threads: usize) -> i64 {
    publish::<Counted, false>(threads, WEIGHED_ITERATIONS * STORES_OF_ITERATION);
    Counted::most() - 2
}

/// Counts the reads that find an object which is not whole, or older than the one before.
fn checksum() -> u64 {
    let place = Place::new(Settings::<NotCounted>::new(0));
    let is_over = AtomicBool::new(false);
    let unsound = AtomicU64::new(0);
    run_in_threads(2, |thread| {
        if thread == 0 {
            write::<_, false>(&place, &is_over, 10_000, &mut ThreadTimes::start());
            return;
        }
        let mut known = 0;
        let reader = &mut place.reader();
        while !is_over.load(Ordering::Relaxed) {
            let sound = reader.read(|seen| seen.is_sound(&mut known));
            unsound.fetch_add(u64::from(!sound), Ordering::Relaxed);
        }
    });
    let last = place.reader().read(|seen| seen.version);
    unsound.into_inner() * 1_000_000 + last
}
