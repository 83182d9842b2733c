//! Numbers that look random and are the same in every language: those of std::minstd_rand.

pub struct RandomNumbers(u64);

impl RandomNumbers {
    pub fn start() -> RandomNumbers {
        RandomNumbers::from(1)
    }

    pub fn from(seed: u64) -> RandomNumbers {
        RandomNumbers(seed)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0
    }
}
