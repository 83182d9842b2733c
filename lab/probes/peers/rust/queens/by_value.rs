//! The program with lists that are passed by value: what is used again is cloned, as C++ copies it.

use super::{prepend, safe, squares, List, Square};

pub fn solutions(size: i32) -> i32 {
    search(count, size, None, squares(size, 0, 0), 0)
}

fn length(all: List) -> i32 {
    match all {
        None => 0,
        Some(cell) => 1 + length(cell.tail.clone()),
    }
}

fn filter(wanted: impl Fn(Square) -> bool + Copy, all: List) -> List {
    let cell = all?;
    let tail = cell.tail.clone();
    let tail = filter(wanted, tail.clone());
    if wanted(cell.head) {
        prepend(cell.head, tail.clone())
    } else {
        tail
    }
}

fn count(_: List, found: i32) -> i32 {
    found + 1
}

fn search(judge: fn(List, i32) -> i32, size: i32, placed: List, open: List, found: i32) -> i32 {
    match open {
        None if length(placed.clone()) == size => judge(placed.clone(), found),
        None => found,
        Some(cell) => {
            let queen = cell.head;
            let open = cell.tail.clone();
            let found = search(judge, size, placed.clone(), open.clone(), found);
            let rest = filter(move |other| safe(queen, other), open.clone());
            search(judge, size, prepend(queen, placed.clone()), rest, found)
        }
    }
}
