//! map: `x` threads look up random keys of a hash map, and replace the entry instead one time of ten. A bucket is a place
//! of an entry, which never changes. All keys are there, and the next free bucket takes what collides.

use crate::alive_objects::{Count, Counted, NotCounted};
use crate::kept::Kept;
use crate::percentiles::{keep_times, percentile, was_run, ThreadTimes, CLOCK, READS, STORES};
use crate::random_numbers::RandomNumbers;
use crate::strategy::Place;
use crate::threads::{has_processors, run_in_threads, ONE_THREAD, SEVERAL_THREADS};
use crate::workload::{keep, Series, Workload};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

pub const WORKLOAD: Workload = Workload {
    name: "map",
    plot: &[
        Series { clear, ..Series::of("operation", ONE_THREAD, alone) },
        Series {
            starts_threads: true,
            fits: has_processors,
            clear,
            peak_iterations: WEIGHED_OPERATIONS,
            unfreed: Some(unfreed),
            ..Series::of("operation", SEVERAL_THREADS, at_once)
        },
        percentile::<READS, 5000>("90 look-ups, p50", time_each),
        percentile::<READS, 9900>("90 look-ups, p99", was_run),
        percentile::<READS, 9990>("90 look-ups, p99.9", was_run),
        percentile::<READS, 9999>("90 look-ups, p99.99", was_run),
        percentile::<STORES, 5000>("replacement, p50", was_run),
        percentile::<STORES, 9900>("replacement, p99", was_run),
        percentile::<STORES, 9990>("replacement, p99.9", was_run),
        percentile::<STORES, 9999>("replacement, p99.99", was_run),
        percentile::<CLOCK, 5000>("clock alone, p50", was_run),
        percentile::<CLOCK, 9900>("clock alone, p99", was_run),
        percentile::<CLOCK, 9990>("clock alone, p99.9", was_run),
        percentile::<CLOCK, 9999>("clock alone, p99.99", was_run),
    ],
    checksum,
};

const KEYS: usize = 1 << 13;
const BITS_OF_BUCKET: u32 = 14;
const BUCKETS: usize = 1 << BITS_OF_BUCKET;
const OPERATIONS_OF_REPLACEMENT: u64 = 10;
const LOOK_UPS_OF_ROUND: usize = 90;
const REPLACEMENTS_OF_ROUND: usize = 10;
const TIMED_ROUNDS: usize = 10_000; // of each thread
const WEIGHED_OPERATIONS: u64 = 1_000_000;

struct Entry<C: Count> {
    key: usize,
    value: u64,
    _counted: C,
}

impl<C: Count> Entry<C> {
    fn new(key: usize, value: u64) -> Entry<C> {
        Entry { key, value, _counted: C::default() }
    }
}

/// A place is never empty, so a bucket that is not taken has none. No search comes to such a one.
struct HashMap<C: Count> {
    buckets: Vec<MaybeUninit<Place<Entry<C>>>>,
    taken: Vec<bool>,
}

impl<C: Count> HashMap<C> {
    fn new() -> HashMap<C> {
        let buckets = (0..BUCKETS).map(|_| MaybeUninit::uninit()).collect();
        let mut made = HashMap { buckets, taken: vec![false; BUCKETS] };
        for key in 0..KEYS {
            let mut at = first_for(key);
            while made.taken[at] {
                at = after(at);
            }
            made.taken[at] = true;
            made.buckets[at].write(Place::new(Entry::new(key, key as u64)));
        }
        made
    }

    fn bucket(&self, at: usize) -> &Place<Entry<C>> {
        unsafe { self.buckets[at].assume_init_ref() }
    }

    fn find(&self, key: usize) -> u64 {
        let mut at = first_for(key);
        loop {
            let value_of_key = |entry: &Entry<C>| if entry.key == key { Some(entry.value) } else { None };
            if let Some(value) = self.bucket(at).reader().read(value_of_key) {
                return value;
            }
            at = after(at);
        }
    }

    fn replace(&self, key: usize, value: u64) {
        let mut at = first_for(key);
        while self.bucket(at).reader().read(|entry| entry.key != key) {
            at = after(at);
        }
        self.bucket(at).replace(Entry::new(key, value));
    }

    fn look_up(&self, random: &mut RandomNumbers) {
        keep(&mut self.find(random.below(KEYS)));
    }

    /// The new value is that of the key, beside a random number.
    fn replace_one(&self, random: &mut RandomNumbers) {
        let key = random.below(KEYS);
        self.replace(key, random.next() * KEYS as u64 + key as u64);
    }

    fn operate(&self, thread: usize, operations: u64) {
        let random = &mut random_numbers_of(thread);
        for done in 1..=operations {
            if done % OPERATIONS_OF_REPLACEMENT == 0 {
                self.replace_one(random);
            } else {
                self.look_up(random);
            }
        }
    }

    fn time_each(&self, thread: usize) -> ThreadTimes {
        let random = &mut random_numbers_of(thread);
        let mut own = ThreadTimes::start();
        for _ in 0..TIMED_ROUNDS {
            (0..LOOK_UPS_OF_ROUND).for_each(|_| self.look_up(random));
            own.lap(READS);
            for _ in 0..REPLACEMENTS_OF_ROUND {
                self.replace_one(random);
                own.lap(STORES);
            }
            own.lap(CLOCK);
        }
        own
    }
}

impl<C: Count> Drop for HashMap<C> {
    fn drop(&mut self) {
        for (bucket, _) in self.buckets.iter_mut().zip(&self.taken).filter(|(_, taken)| **taken) {
            unsafe { bucket.assume_init_drop() };
        }
    }
}

/// Multiplicative hashing (Knuth): neighbors are spread.
fn first_for(key: usize) -> usize {
    ((key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS_OF_BUCKET)) as usize
}

fn after(at: usize) -> usize {
    (at + 1) % BUCKETS
}

fn random_numbers_of(thread: usize) -> RandomNumbers {
    RandomNumbers::from(thread as u64 + 1)
}

static SHARED: Kept<HashMap<NotCounted>> = Kept::nothing();

fn clear() {
    SHARED.clear();
}

/// What an operation takes when nobody is in its way can be counted.
fn alone(_: usize, operations: u64) {
    SHARED.get_or_make(HashMap::new).operate(0, operations);
}

fn at_once(threads: usize, operations: u64) {
    let shared = SHARED.get_or_make(HashMap::new);
    run_in_threads(threads, |thread| shared.operate(thread, operations));
}

fn time_each(threads: usize, _: u64) {
    let shared = HashMap::<NotCounted>::new();
    let all = Mutex::new(ThreadTimes::start());
    run_in_threads(threads, |thread| {
        let own = shared.time_each(thread);
        all.lock().unwrap().add(&own);
    });
    keep_times(threads, all.into_inner().unwrap());
}

/// All that are alive but those in the map, and the next one of a thread, which is made before it replaces another.
fn unfreed(threads: usize) -> i64 {
    let shared = HashMap::<Counted>::new();
    run_in_threads(threads, |thread| shared.operate(thread, WEIGHED_OPERATIONS));
    Counted::most() - KEYS as i64 - 1
}

/// Counts the look-ups that find an entry of their key.
fn checksum() -> u64 {
    let shared = HashMap::<NotCounted>::new();
    let right = AtomicU64::new(0);
    run_in_threads(2, |thread| {
        let random = &mut random_numbers_of(thread);
        for _ in 0..10_000 {
            let key = random.below(KEYS);
            right.fetch_add(u64::from(shared.find(key) % KEYS as u64 == key as u64), Ordering::Relaxed);
            shared.replace_one(random);
        }
    });
    right.into_inner()
}
