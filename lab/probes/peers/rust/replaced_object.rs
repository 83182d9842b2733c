//! What threads replace while others read it.

use crate::alive_objects::{Count, NotCounted};

pub struct Settings<C: Count = NotCounted> {
    pub version: u64,
    complement: u64,
    _counted: C,
}

impl<C: Count> Settings<C> {
    pub fn new(version: u64) -> Settings<C> {
        Settings { version, complement: !version, _counted: C::default() }
    }

    /// Whether this is whole, and no older than the version that was known, which it then is.
    pub fn is_sound(&self, known: &mut u64) -> bool {
        let sound = self.version >= *known && self.version == !self.complement;
        *known = self.version;
        sound
    }
}
