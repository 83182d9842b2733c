//! How many objects are alive at once, counted by a member of each: what was replaced and is not yet dropped is among
//! them. Counting is dear, so objects that are timed are NotCounted.

use std::sync::atomic::{AtomicI64, Ordering};

pub trait Count: Default + Send + Sync + 'static {}

#[derive(Default)]
pub struct NotCounted;

pub struct Counted;

impl Count for NotCounted {}
impl Count for Counted {}

static ALIVE: AtomicI64 = AtomicI64::new(0);
static MOST: AtomicI64 = AtomicI64::new(0);

impl Counted {
    /// The most that were alive at once.
    pub fn most() -> i64 {
        MOST.load(Ordering::Relaxed)
    }
}

impl Default for Counted {
    fn default() -> Counted {
        MOST.fetch_max(ALIVE.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
    }
}
