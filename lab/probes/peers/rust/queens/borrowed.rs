//! The program with lists that are only looked at passed as references to their first cells. What is stored is owned.

use super::{prepend, safe, squares, Cell, List, Square};

type View<'a> = Option<&'a Cell>;

pub fn solutions(size: i32) -> i32 {
    search(count, size, &None, squares(size, 0, 0).as_deref(), 0)
}

fn length(all: View) -> i32 {
    match all {
        None => 0,
        Some(cell) => 1 + length(cell.tail.as_deref()),
    }
}

fn filter(wanted: &impl Fn(Square) -> bool, all: View) -> List {
    let cell = all?;
    let tail = filter(wanted, cell.tail.as_deref());
    if wanted(cell.head) {
        prepend(cell.head, tail)
    } else {
        tail
    }
}

fn count(_: View, found: i32) -> i32 {
    found + 1
}

fn search(judge: fn(View, i32) -> i32, size: i32, placed: &List, open: View, found: i32) -> i32 {
    match open {
        None if length(placed.as_deref()) == size => judge(placed.as_deref(), found),
        None => found,
        Some(cell) => {
            let queen = cell.head;
            let rest = cell.tail.as_deref();
            let found = search(judge, size, placed, rest, found);
            let safe_rest = filter(&|other| safe(queen, other), rest);
            search(judge, size, &prepend(queen, placed.clone()), safe_rest.as_deref(), found)
        }
    }
}
