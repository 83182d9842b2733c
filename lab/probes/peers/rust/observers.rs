//! observers: weak pointers to `x` objects, one to each, are upgraded one after the other, and the owners so obtained are
//! dropped: while the objects are alive, and after they have expired.

use crate::strategy::{Pointer, Weak};
use crate::workload::{keep, Series, Workload};
use std::cell::RefCell;

pub const WORKLOAD: Workload = Workload {
    name: "observers",
    plot: &[Series::of("alive", &[100], upgrade::<true>), Series::of("expired", &[100], upgrade::<false>)],
    checksum,
};

struct Observed {
    number: u64,
}

/// The weak pointers, and their objects' owners if those are alive.
#[derive(Default)]
struct Kept {
    _owners: Vec<Pointer<Observed>>,
    observers: Vec<Weak<Observed>>,
}

impl Kept {
    fn new(count: usize, alive: bool) -> Self {
        let owners: Vec<_> = (1..=count as u64).map(|number| Pointer::new(Observed { number })).collect();
        let observers = owners.iter().map(Pointer::downgrade).collect();
        Kept { _owners: if alive { owners } else { Vec::new() }, observers }
    }
}

thread_local! {
    static KEPT: [RefCell<Kept>; 2] = Default::default();
}

fn upgrade<const ALIVE: bool>(count: usize, iterations: u64) {
    KEPT.with(|kept| {
        let mut kept = kept[usize::from(ALIVE)].borrow_mut();
        if kept.observers.is_empty() {
            *kept = Kept::new(count, ALIVE);
        }
        for _ in 0..iterations {
            for observer in &kept.observers {
                let mut owner = observer.upgrade();
                keep(&mut owner);
            }
        }
    });
}

/// Returns the sum of the numbers of all objects that are found.
fn found(alive: bool) -> u64 {
    let kept = Kept::new(100, alive);
    kept.observers.iter().filter_map(Weak::upgrade).map(|owner| owner.number).sum()
}

fn checksum() -> u64 {
    found(true) * 10_000 + found(false)
}
