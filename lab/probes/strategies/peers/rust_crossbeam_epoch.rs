// The crate crossbeam-epoch: a reader pins the epoch, and what is replaced is freed two epochs later.
use crossbeam_epoch::{pin, unprotected, Atomic, Owned};
use std::sync::atomic::Ordering;

pub struct Place<T>(Atomic<T>);

impl<T> Place<T> {
    pub fn new(content: T) -> Place<T> {
        Place(Atomic::new(content))
    }

    pub fn reader(&self) -> &Place<T> {
        self
    }

    pub fn read<R>(&self, see: impl FnOnce(&T) -> R) -> R {
        let guard = pin();
        // Acquire pairs with the release of `replace`: the content is seen.
        see(unsafe { self.0.load(Ordering::Acquire, &guard).deref() })
    }

    pub fn replace(&self, content: T) {
        let guard = pin();
        // Release pairs with the acquire of `read`, and acquire with the release that stored the old object, which is
        // freed here.
        let old = self.0.swap(Owned::new(content), Ordering::AcqRel, &guard);
        unsafe { guard.defer_destroy(old) };
    }
}

impl<T> Drop for Place<T> {
    fn drop(&mut self) {
        // Nobody else has the place any more, so nothing is pinned.
        drop(unsafe { self.0.load(Ordering::Relaxed, unprotected()).into_owned() });
    }
}
