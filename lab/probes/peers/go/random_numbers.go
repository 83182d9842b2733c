package main

// randomNumbers look random and are the same in every language: those of std::minstd_rand.
type randomNumbers struct {
	state int
}

func newRandomNumbers() *randomNumbers {
	return &randomNumbers{state: 1}
}

func (r *randomNumbers) next() int {
	r.state = r.state * 48_271 % 2_147_483_647
	return r.state
}

func (r *randomNumbers) below(n int) int {
	return r.next() % n
}
