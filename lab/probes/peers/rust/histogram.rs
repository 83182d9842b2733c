//! How often which number came up, in buckets that are a thirty-second part of a power of two wide, as in HdrHistogram.

const BITS: u32 = 5; // of a number that its bucket tells, beside its size
const PARTS: usize = 1 << BITS;

#[derive(Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    pub fn new() -> Histogram {
        Histogram { counts: vec![0; 64 * PARTS], total: 0 }
    }

    pub fn add(&mut self, number: u64) {
        self.counts[bucket_of(number)] += 1;
        self.total += 1;
    }

    pub fn add_all(&mut self, other: &Histogram) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(mine, theirs)| *mine += theirs);
        self.total += other.total;
    }

    /// Returns the least number that is in no lower a bucket than `part` of all; zero if there are none.
    pub fn quantile(&self, part: f64) -> u64 {
        let wanted = (part * self.total.saturating_sub(1) as f64) as u64 + 1;
        let mut found = 0;
        let reaches = |count: &u64| {
            found += count;
            found >= wanted
        };
        self.counts.iter().position(reaches).map_or(0, least_in)
    }
}

fn bucket_of(number: u64) -> usize {
    if number < PARTS as u64 {
        return number as usize;
    }
    let shift = u64::BITS - number.leading_zeros() - 1 - BITS;
    ((shift as usize) << BITS) + (number >> shift) as usize
}

fn least_in(bucket: usize) -> u64 {
    if bucket < 2 * PARTS {
        return bucket as u64;
    }
    let shift = (bucket >> BITS) - 1;
    ((bucket - (shift << BITS)) << shift) as u64
}
