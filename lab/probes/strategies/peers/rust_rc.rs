// Rust's Rc: a plain count for owners on one thread, with the object housed beside it.
pub use std::rc::{Rc as Pointer, Weak};
