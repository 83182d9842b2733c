//! actors: threads send messages to each other, as in the workload in C++. What is changed after it was shared needs a
//! lock of its own in Rust, though no two threads ever want it at once.

use crate::extents::actors::{fits, SIZES};
use crate::operation_times::{keep_each, tell};
use crate::strategy::Pointer;
use crate::workload::{Series, Workload};
use std::mem::take;
use std::sync::atomic::{AtomicUsize, AtomicU64, Ordering};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

const MESSAGES_OF_AN_ACTOR: usize = 100;
const MOST_HOPS: usize = 1_000;

struct Actor {
    last: Mutex<Option<Pointer<Message>>>,
}

struct Message {
    number: usize,
    hops: usize,
    other: Mutex<Option<Pointer<Message>>>,
    _from: Pointer<Actor>,
}

type Mailbox = Mutex<Vec<Pointer<Message>>>;

struct Office {
    boxes: Vec<Mailbox>,
    left: AtomicUsize,
}

struct Worker<'a> {
    office: &'a Office,
    thread: usize,
    actor: Pointer<Actor>,
    times: Vec<u64>,
    sum: u64,
}

impl Worker<'_> {
    fn work(&mut self) {
        for number in 0..MESSAGES_OF_AN_ACTOR {
            self.post(number, 0);
        }
        while self.office.left.load(Ordering::SeqCst) != 0 {
            let received = take(&mut *self.office.boxes[self.thread].lock().unwrap());
            if received.is_empty() {
                thread::yield_now();
            }
            for each in &received {
                let started = Instant::now();
                self.answer(each);
                self.times.push(started.elapsed().as_nanos() as u64);
            }
        }
    }

    fn answer(&mut self, received: &Pointer<Message>) {
        let Message { number, hops, .. } = **received;
        let other = Mutex::new(Some(received.clone()));
        let reply = Pointer::new(Message { number, hops, other, _from: self.actor.clone() });
        *received.other.lock().unwrap() = Some(reply.clone());
        *self.actor.last.lock().unwrap() = Some(reply);
        self.sum += (number + hops) as u64;
        if hops == MOST_HOPS {
            self.office.left.fetch_sub(1, Ordering::SeqCst);
        } else {
            self.post(number, hops + 1);
        }
    }

    fn post(&self, number: usize, hops: usize) {
        let next = Pointer::new(Message { number, hops, other: Mutex::new(None), _from: self.actor.clone() });
        let boxes = &self.office.boxes;
        boxes[(self.thread + number) % boxes.len()].lock().unwrap().push(next);
    }
}

fn run(threads: usize) -> u64 {
    let boxes = (0..threads).map(|_| Mailbox::default()).collect();
    let office = Office { boxes, left: AtomicUsize::new(threads * MESSAGES_OF_AN_ACTOR) };
    let work = &|thread| {
        let actor = Pointer::new(Actor { last: Mutex::new(None) });
        let times = Vec::with_capacity(MESSAGES_OF_AN_ACTOR * (MOST_HOPS + 1));
        let mut worker = Worker { office: &office, thread, actor, times, sum: 0 };
        worker.work();
        (worker.times, worker.sum)
    };
    let (times, sums): (Vec<_>, Vec<_>) = thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        running.into_iter().map(|each| each.join().unwrap()).unzip()
    });
    keep_each(threads, times.concat());
    sums.iter().sum()
}

/// What the last run found.
static FOUND: AtomicU64 = AtomicU64::new(0);

const fn told(name: &'static str, tell: fn(x: usize) -> f64) -> Series {
    Series { once: true, tell: Some(tell), fits, ..Series::of(name, SIZES, |_, _| ()) }
}

pub const WORKLOAD: Workload = Workload {
    name: "actors",
    plot: &[
        Series {
            once: true,
            starts_threads: true,
            peak_iterations: 1,
            fits,
            ..Series::of("messages", SIZES, |threads, _| FOUND.store(run(threads), Ordering::Relaxed))
        },
        told("messages, one, p50", tell::<0>),
        told("messages, one, p99", tell::<1>),
        told("messages, one, p99.9", tell::<2>),
        told("messages, one, max", tell::<3>),
    ],
    checksum: || FOUND.load(Ordering::Relaxed),
};
