//! What a workload is to the harness: series of points to measure, and a checksum that every strategy must reach.

use std::arch::asm;

#[derive(Clone, Copy)]
pub struct Series {
    pub name: &'static str,
    pub sizes: &'static [usize],
    pub work: fn(x: usize, iterations: u64),
    /// Measured by the wall's clock, only where there may be threads, and not counted; else by the processor's.
    pub starts_threads: bool,
    /// Done once for each time, with one iteration: for work that is long.
    pub once: bool,
    /// What is done before that iteration and after it, unmeasured.
    pub prepare: fn(x: usize),
    pub finish: fn(),
    /// Only where the work leaves something that takes memory: frees it all, once the series is measured.
    pub clear: fn(),
    /// How many iterations are counted: more where what one of them leaves is done by a later one.
    pub counted_iterations: u64,
    /// The number of iterations that show how much memory the work takes; 0 if it is not measured.
    pub peak_iterations: u64,
    /// Only where what was replaced may be freed later: does the work at x with objects that are counted. Returns the
    /// most that were replaced and not yet freed.
    pub unfreed: Option<fn(x: usize) -> i64>,
    /// Only where the work takes its own time: what that is in nanoseconds, of its last run at x.
    pub tell: Option<fn(x: usize) -> f64>,
    /// Whether x is for that scale.
    pub fits: fn(x: usize, scale: i32) -> bool,
}

impl Series {
    /// What most series have of their own is their name, their sizes and their work.
    pub const fn of(name: &'static str, sizes: &'static [usize], work: fn(x: usize, iterations: u64)) -> Series {
        Series {
            name,
            sizes,
            work,
            starts_threads: false,
            once: false,
            prepare: |_| (),
            finish: || (),
            clear: || (),
            counted_iterations: 10,
            peak_iterations: 0,
            unfreed: None,
            tell: None,
            fits: |_, _| true,
        }
    }
}

pub struct Workload {
    pub name: &'static str,
    pub plot: &'static [Series],
    pub checksum: fn() -> u64,
}

/// A series at one x.
#[derive(Clone, Copy)]
pub struct Point {
    pub series: &'static Series,
    pub x: usize,
}

impl Point {
    pub fn work(&self, iterations: u64) {
        (self.series.work)(self.x, iterations);
    }

    /// Returns what `work` does, which finds all prepared.
    pub fn prepared<T>(&self, work: impl FnOnce() -> T) -> T {
        (self.series.prepare)(self.x);
        let done = work();
        (self.series.finish)();
        done
    }

    /// Runs unmeasured, until the allocator has filled its caches and symbols are bound. What is done once is long, so
    /// the smallest x of a series warms up for the others.
    pub fn warm_up(&self) {
        if !self.series.once {
            self.work(50);
        } else if self.x == self.series.sizes[0] {
            self.prepared(|| self.work(1));
        }
    }
}

impl Workload {
    /// Returns the points for that scale, those that start threads only if they may.
    pub fn points(&self, threads: bool, scale: i32) -> Vec<Point> {
        let wanted = self.plot.iter().filter(|series| threads || !series.starts_threads);
        let points = wanted.flat_map(|series| series.sizes.iter().map(move |&x| Point { series, x }));
        points.filter(|point| (point.series.fits)(point.x, scale)).collect()
    }
}

/// Makes the compiler assume that `value`, and whatever it leads to, is read and changed here. Costs no instruction.
/// What std::hint::black_box is made of, which Debian 12's Rust does not have yet.
#[inline(always)]
pub fn keep<T>(value: &mut T) {
    unsafe { asm!("/* {} */", in(reg) value, options(nostack, preserves_flags)) };
}
