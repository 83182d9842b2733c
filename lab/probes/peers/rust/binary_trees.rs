//! binary-trees: a tree of depth `x` lives while many smaller ones are made, counted and dropped, as in the workload in
//! C++.

use crate::extents::binary_trees::{fits, SIZES};
use crate::strategy::Pointer;
use crate::workload::{Series, Workload};
use std::sync::atomic::{AtomicU64, Ordering};

struct Node {
    left: Tree,
    right: Tree,
}

/// Empty, or the owner of the root.
type Tree = Option<Pointer<Node>>;

fn grow(depth: usize) -> Tree {
    let (left, right) = if depth == 0 { (None, None) } else { (grow(depth - 1), grow(depth - 1)) };
    Some(Pointer::new(Node { left, right }))
}

fn count(root: &Tree) -> u64 {
    root.as_ref().map_or(0, |node| if node.left.is_none() { 1 } else { 1 + count(&node.left) + count(&node.right) })
}

const LEAST_DEPTH: usize = 4;

fn run(depth: usize) -> u64 {
    let long_lived = grow(depth);
    let mut nodes = 0;
    for low in (LEAST_DEPTH..=depth).step_by(2) {
        for _ in 0..1 << (depth - low + LEAST_DEPTH) {
            nodes += count(&grow(low));
        }
    }
    nodes + count(&long_lived)
}

/// What the last run counted.
static NODES: AtomicU64 = AtomicU64::new(0);

fn work(depth: usize, iterations: u64) {
    for _ in 0..iterations {
        NODES.store(run(depth), Ordering::Relaxed);
    }
}

pub const WORKLOAD: Workload = Workload {
    name: "binary-trees",
    plot: &[Series { once: true, with_peak: true, fits, ..Series::of("trees", SIZES, work) }],
    checksum: || NODES.load(Ordering::Relaxed),
};
