//! How long the operations of a program take: each, and each hundred in a row. A hundred takes the processor time of the
//! thread; one operation the time that passes, but no more than its hundred, as in C++.

use crate::timing::thread_nanoseconds;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

const HUNDRED: usize = 100;
const PARTS: [f64; 4] = [0.5, 0.99, 0.999, 1.0];

/// Of the last run at each x: p50, p99, p99.9 and the longest of one operation, then of a hundred.
static KEPT: Mutex<Option<HashMap<usize, [[u64; 4]; 2]>>> = Mutex::new(None);

pub struct OperationTimes {
    ones: Vec<u64>,
    hundreds: Vec<u64>,
    last: Instant,
    processor: u64,
}

impl OperationTimes {
    pub fn start(operations: usize) -> OperationTimes {
        OperationTimes {
            ones: Vec::with_capacity(operations),
            hundreds: Vec::with_capacity(operations / HUNDRED),
            processor: thread_nanoseconds(),
            last: Instant::now(),
        }
    }

    pub fn done(&mut self) {
        let now = Instant::now();
        self.ones.push((now - self.last).as_nanos() as u64);
        self.last = now;
        if self.ones.len() % HUNDRED == 0 {
            let hundred = thread_nanoseconds() - self.processor;
            let first = self.ones.len() - HUNDRED;
            self.ones[first..].iter_mut().for_each(|one| *one = hundred.min(*one));
            self.hundreds.push(hundred);
            self.processor = thread_nanoseconds();
            self.last = Instant::now();
        }
    }

    pub fn keep(mut self, x: usize) {
        self.ones.truncate(HUNDRED * self.hundreds.len());
        keep(x, [quantiles(self.ones), quantiles(self.hundreds)]);
    }
}

/// Keeps what a program has timed itself, without hundreds.
pub fn keep_each(x: usize, ones: Vec<u64>) {
    keep(x, [quantiles(ones), [0; 4]]);
}

fn keep(x: usize, figures: [[u64; 4]; 2]) {
    KEPT.lock().unwrap().get_or_insert_with(HashMap::new).insert(x, figures);
}

fn quantiles(mut times: Vec<u64>) -> [u64; 4] {
    times.sort_unstable();
    PARTS.map(|part| times[(part * (times.len() - 1) as f64) as usize])
}

/// For Series::tell.
pub fn tell<const FIGURE: usize>(x: usize) -> f64 {
    KEPT.lock().unwrap().as_ref().map_or(0, |kept| kept[&x][FIGURE / 4][FIGURE % 4]) as f64
}
