//! stack: `x` threads each push a number and pop one, over and over, on the stack of Treiber, "Systems Programming: Coping
//! with Parallelism", 1986, of the pointers of crossbeam-epoch. A node that a pinned thread may have read is not freed,
//! so none comes back at its address, and there is no ABA.

use crate::kept::Kept;
use crate::pushed_and_popped::{alone, at_once, checksum, plot, time_each, Container};
use crate::workload::Workload;
use crossbeam_epoch::{pin, Atomic, Owned};
use std::sync::atomic::Ordering;

static KEPT: Kept<Stack> = Kept::nothing();

pub const WORKLOAD: Workload = Workload {
    name: "stack",
    plot: &plot(
        |_, pairs| alone(&KEPT, pairs),
        |threads, pairs| at_once(&KEPT, threads, pairs),
        |threads, _| time_each(&KEPT, threads),
        || KEPT.clear(),
    ),
    checksum: checksum::<Stack>,
};

struct Node {
    number: u64,
    next: Atomic<Node>, // changed only before the node is pushed
}

struct Stack {
    top: Atomic<Node>,
}

impl Container for Stack {
    fn new() -> Stack {
        Stack { top: Atomic::null() }
    }

    fn push(&self, number: u64) {
        let guard = pin();
        let mut added = Owned::new(Node { number, next: Atomic::null() });
        let mut top = self.top.load(Ordering::Relaxed, &guard);
        loop {
            added.next.store(top, Ordering::Relaxed);
            // Release pairs with the acquire of pop, which reads the node.
            match self.top.compare_exchange_weak(top, added, Ordering::Release, Ordering::Relaxed, &guard) {
                Ok(_) => return,
                Err(failed) => (added, top) = (failed.new, failed.current),
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        let guard = pin();
        // Acquire pairs with the release of the push of the node. Pushes and pops in between do not break that: each reads
        // and writes the top in one step. Where the exchange succeeds, relaxed would do, but for Rust before 1.64.
        let mut top = self.top.load(Ordering::Acquire, &guard);
        loop {
            let node = unsafe { top.as_ref() }?;
            let next = node.next.load(Ordering::Relaxed, &guard);
            match self.top.compare_exchange_weak(top, next, Ordering::Acquire, Ordering::Acquire, &guard) {
                Ok(_) => {
                    unsafe { guard.defer_destroy(top) };
                    return Some(node.number);
                }
                Err(failed) => top = failed.current,
            }
        }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}
