//! Times points: the median over batches.

use crate::workload::Point;
use std::time::Instant;

struct Plan {
    batches: usize,
    least_seconds: f64, // of processor time in each batch, in all threads together
}

const IN_ONE_THREAD: Plan = Plan { batches: 9, least_seconds: 0.000_25 };
const IN_THREADS: Plan = Plan { batches: 3, least_seconds: 0.005 }; // long, so that starting them does not show

#[repr(C)]
struct Time {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

const PROCESS: i32 = 2; // CLOCK_PROCESS_CPUTIME_ID
const THREAD: i32 = 3; // CLOCK_THREAD_CPUTIME_ID

/// Returns the processor time of this process or thread so far.
fn processor_seconds(clock: i32) -> f64 {
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(clock, &mut time) };
    time.seconds as f64 + 1e-9 * time.nanoseconds as f64
}

/// Returns the processor time of this thread so far.
pub fn thread_nanoseconds() -> u64 {
    (1e9 * processor_seconds(THREAD)) as u64
}

/// Returns the nanoseconds of one iteration at each point, on the clock of its series.
pub fn answer(points: &[Point]) -> Vec<(Point, f64)> {
    points
        .iter()
        .map(|point| {
            let nanoseconds = nanoseconds_of(point);
            (point.series.clear)();
            (*point, nanoseconds)
        })
        .collect()
}

fn nanoseconds_of(point: &Point) -> f64 {
    if let Some(tell) = point.series.tell {
        point.work(1);
        return tell(point.x);
    }
    point.warm_up();
    if point.series.once {
        return 1e9 * point.prepared(|| batch_seconds(point, 1)); // one batch, for it is long, and launches are many
    }
    let (plan, threads) = if point.series.starts_threads { (IN_THREADS, point.x) } else { (IN_ONE_THREAD, 1) };
    let iterations = batch_iterations(point, plan.least_seconds * threads as f64);
    let mut seconds: Vec<f64> = (0..plan.batches).map(|_| batch_seconds(point, iterations)).collect();
    seconds.sort_by(f64::total_cmp);
    1e9 * seconds[plan.batches / 2] / iterations as f64
}

/// Returns how many iterations make a batch.
fn batch_iterations(point: &Point, least_seconds: f64) -> u64 {
    let mut iterations = 1;
    loop {
        let started = processor_seconds(PROCESS);
        point.work(iterations);
        if processor_seconds(PROCESS) - started >= least_seconds {
            return iterations;
        }
        iterations *= 2;
    }
}

fn batch_seconds(point: &Point, iterations: u64) -> f64 {
    if point.series.starts_threads {
        let started = Instant::now();
        point.work(iterations);
        return started.elapsed().as_secs_f64();
    }
    let started = processor_seconds(THREAD);
    point.work(iterations);
    processor_seconds(THREAD) - started
}
