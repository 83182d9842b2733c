//! Threads that work at once.

use std::sync::Barrier;
use std::thread;

/// The x of a series of threads; which of them this machine measures is up to has_processors.
pub const ONE_THREAD: &[usize] = &[1];
pub const SEVERAL_THREADS: &[usize] = &[2, 4, 8, 16, 32, 64, 128];

extern "C" {
    fn sched_getaffinity(process: i32, size: usize, usable: *mut [u64; 16]) -> i32;
}

/// Whether this process has processors for so many threads at once; two are measured anywhere.
pub fn has_processors(threads: usize, _scale: i32) -> bool {
    let mut usable = [0u64; 16];
    unsafe { sched_getaffinity(0, std::mem::size_of_val(&usable), &mut usable) };
    let processors: u32 = usable.iter().map(|each| each.count_ones()).sum();
    threads <= 2.max(processors as usize)
}

/// Starts threads, which all do `work` as soon as the last of them has started, and waits for them. They are numbered
/// from 0.
pub fn run_in_threads(threads: usize, work: impl Fn(usize) + Sync) {
    let start = Barrier::new(threads);
    let run = &|thread| {
        start.wait();
        work(thread);
    };
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || run(thread));
        }
    });
}
