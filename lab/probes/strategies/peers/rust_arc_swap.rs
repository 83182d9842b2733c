// The crate arc-swap: a reader announces the object that it holds, and counts only if it holds many.
use arc_swap::ArcSwap;
use std::sync::Arc;

pub struct Place<T>(ArcSwap<T>);

impl<T> Place<T> {
    pub fn new(content: T) -> Place<T> {
        Place(ArcSwap::from_pointee(content))
    }

    pub fn reader(&self) -> &Place<T> {
        self
    }

    pub fn read<R>(&self, see: impl FnOnce(&T) -> R) -> R {
        see(&self.0.load())
    }

    pub fn replace(&self, content: T) {
        self.0.store(Arc::new(content));
    }
}
