//! operations: an object is made, shared by `x` handles, and released. Half of the handles are clones, half are empty at
//! first and then assigned a clone.

use crate::strategy::Pointer;
use crate::workload::{keep, Series, Workload};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, Ordering};

pub const WORKLOAD: Workload = Workload {
    name: "operations",
    plot: &[Series::of("set", &SET_SIZES, run_sets)],
    checksum,
};

const SET_SIZES: [usize; 7] = [2, 4, 8, 12, 16, 24, 32];
const HALF_OF_LARGEST_SET: usize = 16;

struct Pointee;

/// Raw storage, so that handles are made and dropped where the workload says, and nowhere else. Those that are empty at
/// first need an Option, which takes no more room.
struct Slots<T> {
    cloned: [MaybeUninit<Pointer<T>>; HALF_OF_LARGEST_SET],
    assigned: [MaybeUninit<Option<Pointer<T>>>; HALF_OF_LARGEST_SET],
}

impl<T> Slots<T> {
    const CLONED: MaybeUninit<Pointer<T>> = MaybeUninit::uninit();
    const ASSIGNED: MaybeUninit<Option<Pointer<T>>> = MaybeUninit::uninit();

    fn new() -> Self {
        Slots { cloned: [Self::CLONED; HALF_OF_LARGEST_SET], assigned: [Self::ASSIGNED; HALF_OF_LARGEST_SET] }
    }

    fn share(&mut self, owner: &Pointer<T>, size: usize) {
        for (cloned, assigned) in self.cloned.iter_mut().zip(&mut self.assigned).take(size / 2) {
            keep(cloned.write(owner.clone()));
            let assigned = assigned.write(None);
            keep(assigned); // or the compiler would know that it is empty
            *assigned = Some(owner.clone());
            keep(assigned);
        }
    }

    /// Drops the handles that `share` made in a set of that size.
    unsafe fn unshare(&mut self, size: usize) {
        for (cloned, assigned) in self.cloned.iter_mut().zip(&mut self.assigned).take(size / 2) {
            cloned.assume_init_drop();
            assigned.assume_init_drop();
        }
    }
}

fn run_sets(size: usize, iterations: u64) {
    let mut handles = Slots::new();
    for _ in 0..iterations {
        let mut owner = Pointer::new(Pointee);
        keep(&mut owner);
        handles.share(&owner, size);
        unsafe { handles.unshare(size) };
    }
}

/// An object that records whether every handle led to it and whether it was destroyed.
#[derive(Default)]
struct Witness {
    reached: Cell<u64>,
}

static DESTROYED: AtomicU64 = AtomicU64::new(0);

impl Drop for Witness {
    fn drop(&mut self) {
        DESTROYED.fetch_add(1, Ordering::Relaxed);
    }
}

fn reach(handle: &Pointer<Witness>) {
    handle.reached.set(handle.reached.get() + 1);
}

/// Runs every set once more, on witnesses.
fn checksum() -> u64 {
    let mut handles = Slots::new();
    let mut reached = 0;
    for size in SET_SIZES {
        let owner = Pointer::new(Witness::default());
        handles.share(&owner, size);
        for i in 0..size / 2 {
            reach(unsafe { handles.cloned[i].assume_init_ref() });
            unsafe { handles.assigned[i].assume_init_ref() }.iter().for_each(reach);
        }
        reached += owner.reached.get();
        unsafe { handles.unshare(size) };
    }
    reached * 1000 + DESTROYED.load(Ordering::Relaxed)
}
