//! instantiation: an owner of a new object is made and dropped, in one thread or in `x` threads at once; and once more
//! with a move in between.

use crate::strategy::Pointer;
use crate::workload::{has_processors, keep, Series, Workload, SEVERAL_THREADS};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Barrier;
use std::thread;

pub const WORKLOAD: Workload = Workload {
    name: "instantiation",
    plot: &[
        Series::of("make and release", &[1], in_one_thread),
        Series {
            starts_threads: true,
            fits: has_processors,
            ..Series::of("make and release", SEVERAL_THREADS, in_threads)
        },
        Series::of("make, move and release", &[1], with_a_move),
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
fn in_threads(count: usize, owners: u64) {
    let start = Barrier::new(count);
    thread::scope(|threads| {
        for _ in 0..count {
            threads.spawn(|| {
                start.wait();
                make_and_release(owners);
            });
        }
    });
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
