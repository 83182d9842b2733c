package main

// A workload is to the harness series of points to measure, and a checksum that every strategy must reach.
type workload struct {
	name     string
	plot     []*series
	checksum func() int
}

// A program is a whole one; what it prepares and finishes is not measured.
type program struct {
	run     func(x int) int
	prepare func(x int) // or nil
	finish  func()      // or nil

	// Whether its time is the time that passes, because its threads work at once.
	startsThreads bool
}

// An extent is a size, and the scale from which on it is measured.
type extent struct {
	x, leastScale int
}

type series struct {
	name    string
	extents []extent
	program program
	tell    func(x int) int64 // a time of the last run at x, that the program has taken itself; or nil
	found   int               // by the last run
}

func (s *series) run(x int) {
	s.found = s.program.run(x)
}

func (s *series) sizes(scale int) []int {
	var sizes []int
	for _, each := range s.extents {
		if each.leastScale <= scale {
			sizes = append(sizes, each.x)
		}
	}
	return sizes
}

// workloadOf returns a workload of one series, whose result is the checksum.
func workloadOf(name string, only *series) workload {
	return workload{name, []*series{only}, func() int { return only.found }}
}
