//! A probe in Rust: one strategy, in those workloads that need only a counted pointer. It is asked, measures and
//! answers as the probes in C++ do (../../harness). The standard library alone, as of Rust 1.63, which Debian 12 has.

#![allow(dead_code)] // not every strategy has workloads that need all of this

mod alive_objects;
mod command_line;
mod counting;
mod histogram;
mod kept;
mod memory;
mod operation_times;
mod percentiles;
mod pushed_and_popped;
mod random_numbers;
mod replaced_object;
mod threads;
mod timing;
mod workload;

// The workloads beside this file, and the sizes of programs.
include!(env!("FREEHOLD_WORKLOADS_FILE"));

/// What is measured: the strategy's file names a `Pointer`, and its `Weak`; or a `Place` whose object is replaced.
mod strategy {
    include!(env!("FREEHOLD_STRATEGY_FILE"));
}

use command_line::{Action, Command};
use memory::Use;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use workload::{Point, Workload};

const NAME: &str = env!("FREEHOLD_STRATEGY_NAME");
const RUSTC: &str = env!("FREEHOLD_RUSTC_VERSION");
/// The crate that the strategy is made of, with its version; or Rust itself.
const LIBRARY: &str = env!("FREEHOLD_LIBRARY");

extern "C" {
    /// glibc's: not 0 until the first thread is started.
    static __libc_single_threaded: u8;
}

fn identify() {
    println!(r#"{{"compiler": "rustc {RUSTC}", "strategy": "{NAME}", "library": "{LIBRARY}"}}"#);
}

/// Prints an answer for each workload, in the order in which they were asked for.
fn measure_all(asked: &Command) -> Result<(), String> {
    for name in &asked.workloads {
        let found = WORKLOADS.iter().find(|each| each.name == name);
        measure(found.ok_or(format!("there is no workload \"{name}\""))?, asked)?;
    }
    Ok(())
}

fn measure(workload: &Workload, asked: &Command) -> Result<(), String> {
    let may_start_threads = asked.threaded || asked.action == Action::Memory; // which a child measures
    let points = workload.points(may_start_threads && asked.action != Action::Count, asked.scale);
    let told: Vec<(Point, String)> = match asked.action {
        Action::Time => told(timing::answer(&points), |nanoseconds| format!(r#""nanoseconds": {nanoseconds}"#)),
        Action::Count => told(counting::answer(&points)?, |iterations| format!(r#""iterations": {iterations}"#)),
        Action::Memory => told(memory::answer(&points)?, memory_in_words),
    };
    if (unsafe { __libc_single_threaded } != 0) == asked.threaded {
        return Err("the process was not in the thread state that was asked for".to_string());
    }
    let lines: Vec<String> = told
        .iter()
        .map(|(Point { series, x }, figures)| format!(r#"{{"series": "{}", "x": {x}, {figures}}}"#, series.name))
        .collect();
    println!(r#"{{"checksum": "{}", "points": [{}]}}"#, (workload.checksum)(), lines.join(", "));
    Ok(())
}

fn memory_in_words(Use { peak, left, unfreed }: Use) -> String {
    let counted = unfreed.map_or(String::new(), |objects| format!(r#", "unfreed": {objects}"#));
    format!(r#""peak": {peak}, "left": {left}{counted}"#)
}

/// Each point with its figures in words.
fn told<T>(answer: Vec<(Point, T)>, words: impl Fn(T) -> String) -> Vec<(Point, String)> {
    answer.into_iter().map(|(point, figures)| (point, words(figures))).collect()
}

/// Does `work` while a second thread does nothing.
fn beside_a_parked_thread<T>(work: impl FnOnce() -> T) -> T {
    let (end, parked) = mpsc::channel::<()>();
    thread::scope(|threads| {
        threads.spawn(move || parked.recv());
        let done = work();
        drop(end);
        done
    })
}

fn run() -> Result<(), String> {
    match command_line::read()? {
        None => {
            identify();
            Ok(())
        }
        Some(asked) if asked.threaded => beside_a_parked_thread(|| measure_all(&asked)),
        Some(asked) => measure_all(&asked),
    }
}

fn main() -> ExitCode {
    if let Err(complaint) = run() {
        eprintln!("probe_{NAME}: {complaint}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}
