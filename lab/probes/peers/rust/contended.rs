//! contended: `x` threads clone one pointer and drop the clone, over and over. The pointer that they clone lives on.

use crate::strategy::Pointer;
use crate::threads::{has_processors, run_in_threads, ONE_THREAD, SEVERAL_THREADS};
use crate::workload::{keep, Series, Workload};
use std::sync::atomic::{AtomicU64, Ordering};

pub const WORKLOAD: Workload = Workload {
    name: "contended",
    plot: &[
        Series::of("copy", ONE_THREAD, alone),
        Series { starts_threads: true, fits: has_processors, ..Series::of("copy", SEVERAL_THREADS, at_once) },
    ],
    checksum,
};

struct SharedObject {
    version: u64,
}

fn make() -> Pointer<SharedObject> {
    Pointer::new(SharedObject { version: 7 })
}

fn copy(owner: &Pointer<SharedObject>, copies: u64) {
    for _ in 0..copies {
        let mut mine = owner.clone();
        keep(&mut mine);
    }
}

/// What a clone takes when no other thread makes one can be counted.
fn alone(_: usize, copies: u64) {
    copy(&make(), copies);
}

fn at_once(threads: usize, copies: u64) {
    let owner = make();
    run_in_threads(threads, |_| copy(&owner, copies));
}

fn checksum() -> u64 {
    let owner = make();
    let sum = AtomicU64::new(0);
    run_in_threads(2, |_| {
        let found = (0..10_000).map(|_| owner.clone().version).sum();
        sum.fetch_add(found, Ordering::Relaxed);
    });
    sum.into_inner()
}
