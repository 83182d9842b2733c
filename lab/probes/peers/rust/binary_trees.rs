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

/// Copies named subtrees into their parent.
fn grow_copied(depth: usize) -> Tree {
    let (left, right) = if depth == 0 { (None, None) } else { (grow_copied(depth - 1), grow_copied(depth - 1)) };
    Some(Pointer::new(Node { left: left.clone(), right: right.clone() }))
}

fn count(root: &Tree) -> u64 {
    root.as_ref().map_or(0, |node| if node.left.is_none() { 1 } else { 1 + count(&node.left) + count(&node.right) })
}

const LEAST_DEPTH: usize = 4;

fn run(depth: usize, grow: fn(usize) -> Tree) -> u64 {
    let long_lived = grow(depth);
    let mut nodes = 0;
    for low in (LEAST_DEPTH..=depth).step_by(2) {
        for _ in 0..1 << (depth - low + LEAST_DEPTH) {
            nodes += count(&grow(low));
        }
    }
    nodes + count(&long_lived)
}

/// What the last run of each series counted.
static NODES: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

const fn series(name: &'static str, work: fn(x: usize, iterations: u64)) -> Series {
    Series { once: true, peak_iterations: 1, fits, ..Series::of(name, SIZES, work) }
}

pub const WORKLOAD: Workload = Workload {
    name: "binary-trees",
    plot: &[
        series("trees", |depth, _| NODES[0].store(run(depth, grow), Ordering::Relaxed)),
        series("trees, copied", |depth, _| NODES[1].store(run(depth, grow_copied), Ordering::Relaxed)),
    ],
    checksum: || {
        let [moved, copied] = [0, 1].map(|series| NODES[series].load(Ordering::Relaxed));
        if moved == copied { moved } else { 0 }
    },
};
