// The crate arc-swap, read through a Cache of each thread.
use arc_swap::{ArcSwap, Cache};
use std::sync::Arc;

pub struct Place<T>(ArcSwap<T>);

pub struct Reader<'a, T>(Cache<&'a ArcSwap<T>, Arc<T>>);

impl<T> Place<T> {
    pub fn new(content: T) -> Place<T> {
        Place(ArcSwap::from_pointee(content))
    }

    pub fn reader(&self) -> Reader<'_, T> {
        Reader(Cache::new(&self.0))
    }

    pub fn replace(&self, content: T) {
        self.0.store(Arc::new(content));
    }
}

impl<T> Reader<'_, T> {
    pub fn read<R>(&mut self, see: impl FnOnce(&T) -> R) -> R {
        see(self.0.load())
    }
}
