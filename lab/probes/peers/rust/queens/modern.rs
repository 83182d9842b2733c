//! The program with references and moves, and no clone but the one that is stored.

use super::{prepend, safe, squares, List, Square};

pub fn solutions(size: i32) -> i32 {
    search(count, size, &None, &squares(size, 0, 0), 0)
}

fn length(all: &List) -> i32 {
    match all {
        None => 0,
        Some(cell) => 1 + length(&cell.tail),
    }
}

fn filter(wanted: &impl Fn(Square) -> bool, all: &List) -> List {
    let cell = all.as_ref()?;
    let tail = filter(wanted, &cell.tail);
    if wanted(cell.head) {
        prepend(cell.head, tail)
    } else {
        tail
    }
}

fn count(_: &List, found: i32) -> i32 {
    found + 1
}

fn search(judge: fn(&List, i32) -> i32, size: i32, placed: &List, open: &List, found: i32) -> i32 {
    match open {
        None if length(placed) == size => judge(placed, found),
        None => found,
        Some(cell) => {
            let queen = cell.head;
            let found = search(judge, size, placed, &cell.tail, found);
            let rest = filter(&|other| safe(queen, other), &cell.tail);
            search(judge, size, &prepend(queen, placed.clone()), &rest, found)
        }
    }
}
