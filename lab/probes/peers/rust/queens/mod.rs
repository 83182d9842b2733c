//! queens: a logic program finds every way to place `x` queens on a board of x by x squares so that none attacks another.
//! It works on immutable lists that share their tails, in the five styles of the workload in C++.

mod borrowed;
mod by_reference;
mod by_value;
mod direct;
mod modern;

use crate::extents::queens::{fits, SIZES};
use crate::strategy::Pointer;
use crate::workload::{Series, Workload};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy)]
struct Square {
    column: i32,
    row: i32,
}

fn safe(one: Square, other: Square) -> bool {
    let right = other.column - one.column;
    let down = other.row - one.row;
    right != 0 && down != 0 && right != down && right != -down
}

struct Cell {
    head: Square,
    tail: List,
}

/// Empty, or the owner of the first cell.
type List = Option<Pointer<Cell>>;

fn prepend(head: Square, tail: List) -> List {
    Some(Pointer::new(Cell { head, tail }))
}

fn squares(size: i32, column: i32, row: i32) -> List {
    if column < size {
        prepend(Square { column, row }, squares(size, column + 1, row))
    } else if row == size - 1 {
        None
    } else {
        squares(size, 0, row + 1)
    }
}

/// What each style found on the board that was played last.
static SOLUTIONS: [AtomicU64; 5] = [
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
    AtomicU64::new(0),
];

fn play<const STYLE: usize>(size: usize, iterations: u64) {
    let solutions = [
        by_value::solutions,
        by_reference::solutions,
        modern::solutions,
        borrowed::solutions,
        direct::solutions,
    ][STYLE];
    for _ in 0..iterations {
        SOLUTIONS[STYLE].store(solutions(size as i32) as u64, Ordering::Relaxed);
    }
}

const fn in_style(name: &'static str, work: fn(usize, u64)) -> Series {
    Series { once: true, peak_iterations: 1, fits, ..Series::of(name, SIZES, work) }
}

pub const WORKLOAD: Workload = Workload {
    name: "queens",
    plot: &[
        in_style("by value", play::<0>),
        in_style("const reference", play::<1>),
        in_style("modern", play::<2>),
        in_style("borrowed", play::<3>),
        in_style("direct", play::<4>),
    ],
    checksum,
};

/// The solutions that each style found last, twelve bits for each.
fn checksum() -> u64 {
    SOLUTIONS.iter().fold(0, |digest, found| digest << 12 | found.load(Ordering::Relaxed))
}
