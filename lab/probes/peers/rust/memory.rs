//! Measures the memory that points take.

use crate::workload::Point;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process;

extern "C" {
    fn fork() -> i32;
    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
}

/// In bytes, beyond what the process held before.
#[derive(Clone, Copy)]
pub struct Use {
    pub peak: i64,
    pub left: i64,
    /// In objects, where the series counts them.
    pub unfreed: Option<i64>,
}

/// Returns the bytes in a line of a file under /proc/self, or zero.
fn bytes_in(file: &str, name: &str) -> i64 {
    let text = fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<i64>().ok());
    1024 * kibibytes.unwrap_or(0)
}

/// Exact, unlike the kernel's peak, which is late by up to 64 pages of each kind.
fn anonymous_bytes() -> i64 {
    bytes_in("smaps_rollup", "Anonymous:")
}

fn measure_here(point: &Point) -> Use {
    let before = anonymous_bytes();
    point.prepared(|| point.work(point.series.peak_iterations));
    let then = anonymous_bytes();
    let files = bytes_in("smaps_rollup", "Rss:") - then;
    let highest = bytes_in("status", "VmHWM:") - files;
    (point.series.clear)();
    let left = anonymous_bytes();
    let peak = highest.max(then).max(left); // a small one is known from what is kept
    Use { peak: peak - before, left: left - before, unfreed: point.series.unfreed.map(|unfreed| unfreed(point.x)) }
}

/// A process of its own, so that no point finds what another has left.
fn measure_in_child(point: &Point) -> Result<Use, String> {
    let failed = |error: std::io::Error| format!("no child could measure memory: {error}");
    let (mut here, mut there) = UnixStream::pair().map_err(failed)?;
    let child = unsafe { fork() };
    if child == 0 {
        let Use { peak, left, unfreed } = measure_here(point);
        let told = there.write_all(&[peak, left, unfreed.unwrap_or(0)].map(i64::to_ne_bytes).concat());
        process::exit(if told.is_ok() { 0 } else { 1 });
    }
    drop(there);
    let mut told = [0; 24];
    let read = here.read_exact(&mut told);
    unsafe { waitpid(child, std::ptr::null_mut(), 0) };
    read.map_err(failed)?;
    let number = |bytes: &[u8]| i64::from_ne_bytes(bytes.try_into().unwrap());
    let unfreed = point.series.unfreed.map(|_| number(&told[16..]));
    Ok(Use { peak: number(&told[..8]), left: number(&told[8..16]), unfreed })
}

/// Returns the memory that each point takes whose series has a peak.
pub fn answer(points: &[Point]) -> Result<Vec<(Point, Use)>, String> {
    let weighed = points.iter().filter(|point| point.series.peak_iterations > 0);
    weighed.map(|point| Ok((*point, measure_in_child(point)?))).collect()
}
