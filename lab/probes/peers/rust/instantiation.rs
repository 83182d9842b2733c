//! instantiation: an owner of a new object is made and dropped, in one thread or in `x` threads at once; and once more
//! with a move in between.

use crate::strategy::Pointer;
use crate::threads::{has_processors, run_in_threads, ONE_THREAD, SEVERAL_THREADS};
use crate::workload::{keep, Series, Workload};
use std::sync::atomic::{AtomicU64, Ordering};

pub const WORKLOAD: Workload = Workload {
    name: "instantiation",
    plot: &[
        Series::of("make and release", ONE_THREAD, in_one_thread),
        Series {
            starts_threads: true,
            fits: has_processors,
            ..Series::of("make and release", SEVERAL_THREADS, in_threads)
        },
        Series::of("make, move and release", ONE_THREAD, with_a_move),
    ],
    checksum,
};

struct Pointee;

fn make_and_release(owners: u64) {
    for _ in 0..owners {
        let mut owner = Pointer::new(Pointee);
        keep(&mut owner);
    }
}

fn in_one_thread(_: usize, owners: u64) {
    make_and_release(owners);
}

/// Owners in each thread.
fn in_threads(threads: usize, owners: u64) {
    run_in_threads(threads, |_| make_and_release(owners));
}

fn with_a_move(_: usize, owners: u64) {
    for _ in 0..owners {
        let mut owner = Pointer::new(Pointee);
        keep(&mut owner);
        let mut last = owner;
        keep(&mut last);
    }
}

/// An object that records whether it was reached and destroyed.
struct Witness {
    number: u64,
}

static DESTROYED: AtomicU64 = AtomicU64::new(0);

impl Drop for Witness {
    fn drop(&mut self) {
        DESTROYED.fetch_add(1, Ordering::Relaxed);
    }
}

/// Makes, moves and drops owners of numbered witnesses.
fn checksum() -> u64 {
    let mut reached = 0;
    for number in 1..=100 {
        let owner = Pointer::new(Witness { number });
        let last = owner;
        reached += last.number;
    }
    reached * 1000 + DESTROYED.load(Ordering::Relaxed)
}
