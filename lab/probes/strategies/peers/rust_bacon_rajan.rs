// The crate bacon_rajan_cc: a plain count, and the cycle collector of Bacon and Rajan, which a program calls itself.
pub use bacon_rajan_cc::{Cc as Pointer, Trace, Tracer, Weak};

/// A run looks at all that the candidates lead to, so it waits for as many as make a run worthwhile.
const CANDIDATES: usize = 100_000;

pub fn collect_if_due() {
    if bacon_rajan_cc::number_of_roots_buffered() >= CANDIDATES {
        bacon_rajan_cc::collect_cycles();
    }
}

pub fn collect() {
    bacon_rajan_cc::collect_cycles();
}
