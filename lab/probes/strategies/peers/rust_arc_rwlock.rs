// Rust's Arc beside an RwLock: readers wait for whoever replaces it, and not for each other.
use std::sync::{Arc, RwLock};

pub struct Place<T>(RwLock<Arc<T>>);

impl<T> Place<T> {
    pub fn new(content: T) -> Place<T> {
        Place(RwLock::new(Arc::new(content)))
    }

    pub fn reader(&self) -> &Place<T> {
        self
    }

    pub fn read<R>(&self, see: impl FnOnce(&T) -> R) -> R {
        let seen = Arc::clone(&self.0.read().unwrap());
        see(&seen)
    }

    pub fn replace(&self, content: T) {
        let made = Arc::new(content);
        let old = std::mem::replace(&mut *self.0.write().unwrap(), made);
        drop(old);
    }
}
