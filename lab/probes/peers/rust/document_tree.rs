//! document-tree, as in the workload in C++, with owners whose cycles are collected, and with weak links to parents.

use crate::extents::document_tree::{fits, SIZES};
use crate::operation_times::{tell, OperationTimes};
use crate::random_numbers::RandomNumbers;
use crate::strategy::{collect, collect_if_due, Pointer, Trace, Tracer, Weak};
use crate::workload::{Series, Workload};
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

const CHILDREN_OF_THE_ROOT: usize = 6;
const CHILDREN_OF_A_NODE: usize = 4;
const HIGHEST_CLIMB: usize = 3;

/// A link to a parent: an owner, or a weak pointer.
trait Link: Trace + 'static {
    fn to(parent: &Pointer<Node<Self>>) -> Self
    where
        Self: Sized;
    fn follow(&self) -> Option<Pointer<Node<Self>>>
    where
        Self: Sized;
}

struct Owning(Pointer<Node<Owning>>);
struct Observing(Weak<Node<Observing>>);

impl Link for Owning {
    fn to(parent: &Pointer<Node<Owning>>) -> Owning {
        Owning(parent.clone())
    }
    fn follow(&self) -> Option<Pointer<Node<Owning>>> {
        Some(self.0.clone())
    }
}

impl Link for Observing {
    fn to(parent: &Pointer<Node<Observing>>) -> Observing {
        Observing(parent.downgrade())
    }
    fn follow(&self) -> Option<Pointer<Node<Observing>>> {
        self.0.upgrade()
    }
}

impl Trace for Owning {
    fn trace(&self, tracer: &mut Tracer) {
        self.0.trace(tracer);
    }
}

impl Trace for Observing {
    fn trace(&self, _: &mut Tracer) {}
}

struct Node<L: Link> {
    text: String,
    children: RefCell<Vec<Pointer<Node<L>>>>,
    parent: RefCell<Option<L>>,
}

impl<L: Link> Trace for Node<L> {
    fn trace(&self, tracer: &mut Tracer) {
        self.children.borrow().iter().for_each(|child| child.trace(tracer));
        self.parent.borrow().iter().for_each(|parent| parent.trace(tracer));
    }
}

type Owner<L> = Pointer<Node<L>>;

struct Document<L: Link> {
    random: RandomNumbers,
    sum: u64,
    made: usize,
    root: Option<Owner<L>>,
}

fn parent<L: Link>(child: &Owner<L>) -> Option<Owner<L>> {
    child.parent.borrow().as_ref().and_then(Link::follow)
}

fn adopt<L: Link>(child: &Owner<L>, by: &Owner<L>) {
    child.parent.replace(Some(L::to(by)));
}

fn place_of<L: Link>(child: &Owner<L>, parent: &Owner<L>) -> usize {
    parent.children.borrow().iter().position(|each| Pointer::ptr_eq(each, child)).unwrap()
}

impl<L: Link> Document<L> {
    fn grow(&mut self, height: usize, children: usize) -> Owner<L> {
        let text = self.made.to_string();
        self.made += 1;
        let room = Vec::with_capacity(if height > 0 { children } else { 0 });
        let made = Pointer::new(Node { text, children: RefCell::new(room), parent: RefCell::new(None) });
        for _ in 0..if height > 0 { children } else { 0 } {
            let child = self.grow(height - 1, CHILDREN_OF_A_NODE);
            adopt(&child, &made);
            made.children.borrow_mut().push(child);
        }
        made
    }

    fn edit(&mut self) {
        match self.random.below(8) {
            0 => self.read_upwards(),
            1 | 2 => self.exchange(),
            _ => self.replace(),
        }
    }

    fn read_upwards(&mut self) {
        let mut at = Some(self.random_leaf());
        while let Some(node) = at {
            self.read(&node);
            at = parent(&node);
        }
    }

    fn exchange(&mut self) {
        let height = self.random_height();
        let one = climb(self.random_leaf(), height);
        let other = climb(self.random_leaf(), height);
        let above_one = parent(&one).unwrap();
        let above_other = parent(&other).unwrap();
        let place_of_one = place_of(&one, &above_one);
        let place_of_other = place_of(&other, &above_other);
        above_one.children.borrow_mut()[place_of_one] = other.clone();
        above_other.children.borrow_mut()[place_of_other] = one.clone();
        adopt(&one, &above_other);
        adopt(&other, &above_one);
    }

    fn replace(&mut self) {
        let height = self.random_height();
        let old = climb(self.random_leaf(), height);
        let above = parent(&old).unwrap();
        let made = self.grow(height, CHILDREN_OF_A_NODE);
        adopt(&made, &above);
        let place = place_of(&old, &above);
        above.children.borrow_mut()[place] = made;
    }

    fn read(&mut self, node: &Node<L>) {
        self.sum += u64::from(*node.text.as_bytes().last().unwrap());
    }

    fn read_all(&mut self, top: &Owner<L>) {
        self.read(top);
        top.children.borrow().iter().for_each(|child| self.read_all(child));
    }

    fn random_leaf(&mut self) -> Owner<L> {
        let mut at = self.root.clone().unwrap();
        loop {
            let below = at.children.borrow().len();
            if below == 0 {
                return at;
            }
            let child = at.children.borrow()[self.random.below(below)].clone();
            at = child;
        }
    }

    fn random_height(&mut self) -> usize {
        let mut height = 0;
        while height < HIGHEST_CLIMB && self.random.below(2) == 1 {
            height += 1;
        }
        height
    }
}

fn climb<L: Link>(from: Owner<L>, levels: usize) -> Owner<L> {
    (0..levels).fold(from, |at, _| parent(&at).unwrap())
}

fn run<L: Link>(nodes: usize) -> u64 {
    let mut document = Document::<L> { random: RandomNumbers::start(), sum: 0, made: 0, root: None };
    let levels = (nodes / 2 + 1).trailing_zeros() as usize / 2;
    document.root = Some(document.grow(levels, CHILDREN_OF_THE_ROOT));
    let mut times = OperationTimes::start(nodes / 2);
    for _ in 0..nodes / 2 {
        document.edit();
        collect_if_due();
        times.done();
    }
    times.keep(nodes);
    let root = document.root.take().unwrap();
    document.read_all(&root);
    drop(root);
    collect();
    document.sum
}

/// What the last run of each series found.
static FOUND: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

const fn series(name: &'static str, work: fn(x: usize, iterations: u64)) -> Series {
    Series { once: true, peak_iterations: 1, fits, ..Series::of(name, SIZES, work) }
}

const fn told(name: &'static str, tell: fn(x: usize) -> f64) -> Series {
    Series { once: true, tell: Some(tell), fits, ..Series::of(name, SIZES, |_, _| ()) }
}

macro_rules! plot {
    ($name:literal, $work:expr) => {
        [
            series($name, $work),
            told(concat!($name, ", one, p50"), tell::<0>),
            told(concat!($name, ", one, p99"), tell::<1>),
            told(concat!($name, ", one, p99.9"), tell::<2>),
            told(concat!($name, ", one, max"), tell::<3>),
            told(concat!($name, ", hundred, p50"), tell::<4>),
            told(concat!($name, ", hundred, p99"), tell::<5>),
            told(concat!($name, ", hundred, p99.9"), tell::<6>),
            told(concat!($name, ", hundred, max"), tell::<7>),
        ]
    };
}

const OWNED: [Series; 9] = plot!("parents owned", |nodes, _| FOUND[0].store(run::<Owning>(nodes), Ordering::Relaxed));
const OBSERVED: [Series; 9] =
    plot!("parents observed", |nodes, _| FOUND[1].store(run::<Observing>(nodes), Ordering::Relaxed));

pub const WORKLOAD: Workload = Workload {
    name: "document-tree",
    plot: &{
        let [a, b, c, d, e, f, g, h, i] = OWNED;
        let [j, k, l, m, n, o, p, q, r] = OBSERVED;
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r]
    },
    checksum: || FOUND[0].load(Ordering::Relaxed) + 3 * FOUND[1].load(Ordering::Relaxed),
};
