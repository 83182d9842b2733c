//! replaced: `x` threads read the object in one place, over and over, as in the workload in C++. After every 1,000 reads
//! the first of them replaces the object by a new one.

use crate::replaced_object::Settings;
use crate::strategy::Place;
use crate::threads::{has_processors, run_in_threads, ONE_THREAD, SEVERAL_THREADS};
use crate::workload::{keep, Series, Workload};
use std::sync::atomic::{AtomicU64, Ordering};

pub const WORKLOAD: Workload = Workload {
    name: "replaced",
    plot: &[
        Series::of("read", ONE_THREAD, alone),
        Series { starts_threads: true, fits: has_processors, ..Series::of("read", SEVERAL_THREADS, at_once) },
    ],
    checksum,
};

const READS_PER_REPLACEMENT: u64 = 1_000;

fn make() -> Place<Settings> {
    Place::new(Settings::new(0))
}

fn read(place: &Place<Settings>, thread: usize, reads: u64, mut see: impl FnMut(&Settings)) {
    let reader = &mut place.reader();
    for done in 1..=reads {
        reader.read(&mut see);
        if thread == 0 && done % READS_PER_REPLACEMENT == 0 {
            place.replace(Settings::new(done / READS_PER_REPLACEMENT));
        }
    }
}

fn keep_version(seen: &Settings) {
    keep(&mut { seen.version });
}

/// What a read takes when nobody is in its way can be counted.
fn alone(_: usize, reads: u64) {
    read(&make(), 0, reads, keep_version);
}

fn at_once(threads: usize, reads: u64) {
    let place = make();
    run_in_threads(threads, |thread| read(&place, thread, reads, keep_version));
}

/// Counts the reads that find an object which is whole, and no older than the one before.
fn checksum() -> u64 {
    let place = make();
    let sound = AtomicU64::new(0);
    run_in_threads(2, |thread| {
        let mut known = 0;
        read(&place, thread, 10_000, |seen| {
            sound.fetch_add(u64::from(seen.is_sound(&mut known)), Ordering::Relaxed);
        });
    });
    let mut last = 0;
    read(&place, 1, 1, |seen| last = seen.version);
    sound.into_inner() * 1000 + last
}
