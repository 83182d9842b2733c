//! The modern program without functions as arguments: filter asks `safe` itself, and search counts what it finds.

use super::{prepend, safe, squares, List, Square};

pub fn solutions(size: i32) -> i32 {
    search(size, &None, &squares(size, 0, 0), 0)
}

fn length(all: &List) -> i32 {
    match all {
        None => 0,
        Some(cell) => 1 + length(&cell.tail),
    }
}

fn filter(queen: Square, all: &List) -> List {
    let cell = all.as_ref()?;
    let tail = filter(queen, &cell.tail);
    if safe(queen, cell.head) {
        prepend(cell.head, tail)
    } else {
        tail
    }
}

fn search(size: i32, placed: &List, open: &List, found: i32) -> i32 {
    match open {
        None if length(placed) == size => found + 1,
        None => found,
        Some(cell) => {
            let queen = cell.head;
            let found = search(size, placed, &cell.tail, found);
            let rest = filter(queen, &cell.tail);
            search(size, &prepend(queen, placed.clone()), &rest, found)
        }
    }
}
