// Rust's Arc: an atomic count, with the object housed beside it.
pub use std::sync::{Arc as Pointer, Weak};
