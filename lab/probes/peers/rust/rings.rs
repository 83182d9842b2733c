//! rings: nodes that lead to each other in a circle, as in the workload in C++. Each owns the next one, and the last
//! one observes the first.

use crate::extents::rings::{fits, SIZES};
use crate::strategy::{Pointer, Weak};
use crate::workload::{Series, Workload};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

struct Node {
    number: usize,
    next: Ring,
    first: Weak<Node>,
}

/// Empty, or the owner of a node.
type Ring = Option<Pointer<Node>>;

fn following(node: &Node) -> Ring {
    node.next.clone().or_else(|| node.first.upgrade())
}

/// Returns the first of `nodes` nodes, which are numbered from `number` on.
fn make_ring(nodes: usize, number: usize) -> Pointer<Node> {
    Pointer::new_cyclic(|first| {
        let mut next: Ring = None;
        for i in (1..nodes).rev() {
            let back = if next.is_none() { first.clone() } else { Weak::new() };
            next = Some(Pointer::new(Node { number: number + i, next, first: back }));
        }
        Node { number, next, first: Weak::new() }
    })
}

const RING_SIZE: usize = 10;

fn churn(nodes: usize, living_rings: usize) -> u64 {
    let mut living: Vec<Ring> = (0..living_rings).map(|_| None).collect();
    let mut sum = 0;
    for made in (0..nodes).step_by(RING_SIZE) {
        let ring = make_ring(RING_SIZE, made);
        sum += ring.number as u64;
        living[made / RING_SIZE % living_rings] = Some(ring);
    }
    sum
}

fn few(nodes: usize) -> u64 {
    churn(nodes, 8)
}

fn a_tenth(nodes: usize) -> u64 {
    churn(nodes, nodes / RING_SIZE / 10)
}

thread_local! {
    static LIVING: RefCell<Ring> = RefCell::new(None);
}

fn prepare_cursor(steps: usize) {
    LIVING.with(|living| living.replace(Some(make_ring(steps.min(1_000_000), 0))));
}

fn cursor(steps: usize) -> u64 {
    let mut at = LIVING.with(|living| living.borrow().clone());
    let mut sum = 0;
    for _ in 0..steps {
        let node = at.unwrap();
        sum += node.number as u64;
        at = following(&node);
    }
    sum
}

/// Takes the ring apart, because releasing a long chain would recurse.
fn finish_cursor() {
    let mut rest = LIVING.with(|living| living.take());
    while let Some(node) = rest {
        rest = Pointer::try_unwrap(node).ok().and_then(|mut alone| alone.next.take());
    }
}

/// What the last run of each series found.
static FOUND: [AtomicU64; 3] = [AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)];

fn work(series: usize, run: fn(usize) -> u64, x: usize, iterations: u64) {
    for _ in 0..iterations {
        FOUND[series].store(run(x), Ordering::Relaxed);
    }
}

const fn series(name: &'static str, work: fn(x: usize, iterations: u64)) -> Series {
    Series { once: true, peak_iterations: 1, fits, ..Series::of(name, SIZES, work) }
}

pub const WORKLOAD: Workload = Workload {
    name: "rings",
    // The cursor goes first: what churn has freed lies in no order.
    plot: &[
        Series {
            prepare: prepare_cursor,
            finish: finish_cursor,
            ..series("cursor", |x, iterations| work(0, cursor, x, iterations))
        },
        series("churn, few live", |x, iterations| work(1, few, x, iterations)),
        series("churn, a tenth lives", |x, iterations| work(2, a_tenth, x, iterations)),
    ],
    checksum: || {
        let [cursor, few, a_tenth] = [0, 1, 2].map(|series| FOUND[series].load(Ordering::Relaxed));
        few + 3 * a_tenth + 7 * cursor
    },
};
