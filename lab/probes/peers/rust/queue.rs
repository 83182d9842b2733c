//! queue: `x` threads each push a number and pop one, over and over, on the queue of Michael and Scott, "Simple, Fast, and
//! Practical Non-Blocking and Blocking Concurrent Queue Algorithms", PODC 1996, of the pointers of crossbeam-epoch. The
//! first node is a dummy, whose number was popped. A link that leads to a node never leads to another one.

use crate::kept::Kept;
use crate::pushed_and_popped::{alone, at_once, checksum, plot, time_each, Container};
use crate::workload::Workload;
use crossbeam_epoch::{pin, unprotected, Atomic, Owned, Shared};
use std::sync::atomic::Ordering;

static KEPT: Kept<Queue> = Kept::nothing();

pub const WORKLOAD: Workload = Workload {
    name: "queue",
    plot: &plot(
        |_, pairs| alone(&KEPT, pairs),
        |threads, pairs| at_once(&KEPT, threads, pairs),
        |threads, _| time_each(&KEPT, threads),
        || KEPT.clear(),
    ),
    checksum: checksum::<Queue>,
};

struct Node {
    number: u64,
    next: Atomic<Node>,
}

struct Queue {
    first: Atomic<Node>,
    last: Atomic<Node>,
}

fn make(number: u64) -> Owned<Node> {
    Owned::new(Node { number, next: Atomic::null() })
}

/// Lets `last` lead from one node to the one behind it, unless another thread has done that. Release pairs with the
/// acquire of push, which reads the node.
fn advance<'g>(last: &Atomic<Node>, from: Shared<'g, Node>, to: Shared<'g, Node>) {
    let _ = last.compare_exchange(from, to, Ordering::Release, Ordering::Relaxed, unsafe { unprotected() });
}

impl Container for Queue {
    fn new() -> Queue {
        let dummy = make(0).into_shared(unsafe { unprotected() });
        Queue { first: Atomic::from(dummy), last: Atomic::from(dummy) }
    }

    fn push(&self, number: u64) {
        let guard = pin();
        let added = make(number).into_shared(&guard);
        loop {
            let last = self.last.load(Ordering::Acquire, &guard); // pairs with the release of advance
            let link = &unsafe { last.deref() }.next;
            let behind = link.load(Ordering::Acquire, &guard); // pairs with the release below
            if !behind.is_null() {
                advance(&self.last, last, behind); // another push has not come to that yet
            } else if link
                // Release pairs with the acquires of the link, after which the node is read.
                .compare_exchange(Shared::null(), added, Ordering::Release, Ordering::Relaxed, &guard)
                .is_ok()
            {
                advance(&self.last, last, added);
                return;
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        let guard = pin();
        loop {
            let first = self.first.load(Ordering::Acquire, &guard); // pairs with the release below
            let second = unsafe { first.deref() }.next.load(Ordering::Acquire, &guard); // with that of push
            let node = unsafe { second.as_ref() }?;
            if self.first.compare_exchange(first, second, Ordering::Release, Ordering::Relaxed, &guard).is_ok() {
                // Nothing may lead to a node that is retired. Relaxed: whoever linked the second node had read in `last`
                // the first one or a later one, and that came before the acquire of the link.
                if self.last.load(Ordering::Relaxed, &guard) == first {
                    advance(&self.last, first, second);
                }
                unsafe { guard.defer_destroy(first) };
                return Some(node.number);
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        while self.pop().is_some() {}
        // Nobody else has the queue any more, so nothing is pinned.
        drop(unsafe { self.first.load(Ordering::Relaxed, unprotected()).into_owned() });
    }
}
