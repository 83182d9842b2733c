//! What a series makes once, for all of its batches.

use std::sync::{Arc, Mutex};

pub struct Kept<T>(Mutex<Option<Arc<T>>>);

impl<T> Kept<T> {
    pub const fn nothing() -> Kept<T> {
        Kept(Mutex::new(None))
    }

    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> Arc<T> {
        Arc::clone(self.0.lock().unwrap().get_or_insert_with(|| Arc::new(make())))
    }

    pub fn clear(&self) {
        self.0.lock().unwrap().take();
    }
}
