//! Runs points under callgrind, so that what they execute can be counted.

use crate::workload::Point;
use std::arch::asm;

// The requests of <valgrind/valgrind.h> and <valgrind/callgrind.h> that are made here.
const RUNNING_ON_VALGRIND: usize = 0x1001;
const CALLGRIND: usize = (b'C' as usize) << 24 | (b'T' as usize) << 16;
const DUMP_STATS: usize = CALLGRIND;
const ZERO_STATS: usize = CALLGRIND + 1;
const TOGGLE_COLLECT: usize = CALLGRIND + 2;

/// Asks valgrind. The instructions do nothing, and mean a request where valgrind sees them: the answer without it is 0.
#[inline(always)]
fn request(number: usize) -> usize {
    let request_and_arguments = [number, 0, 0, 0, 0, 0];
    let mut answer = 0;
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") &request_and_arguments, inout("rdx") answer, options(nostack)
        );
    }
    answer
}

// Out of line, so that the same instructions surround every stretch.
#[inline(never)]
fn collect(point: &Point, iterations: u64) {
    point.prepared(|| {
        request(TOGGLE_COLLECT);
        if iterations > 0 {
            point.work(iterations);
        }
        request(TOGGLE_COLLECT);
    });
    request(DUMP_STATS);
}

/// Collects every point twice, with different numbers of iterations: the difference of the two dumps is what those
/// iterations execute, without the call around them. Returns the iterations in each dump, in the order of the dumps.
pub fn answer(points: &[Point]) -> Result<Vec<(Point, f64)>, String> {
    if request(RUNNING_ON_VALGRIND) == 0 {
        return Err("count works only under valgrind --tool=callgrind".to_string());
    }
    request(ZERO_STATS);
    let mut dumps = Vec::with_capacity(2 * points.len()); // an allocation in between would change what follows
    for point in points.iter().filter(|point| point.series.tell.is_none()) {
        point.warm_up();
        let least_and_most = if point.series.once { [0, 1] } else { [1, 1 + point.series.counted_iterations] };
        for iterations in least_and_most {
            collect(point, iterations);
            dumps.push((*point, iterations as f64));
        }
        (point.series.clear)();
    }
    Ok(dumps)
}
