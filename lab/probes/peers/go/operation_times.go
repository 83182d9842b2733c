package main

import (
	"slices"
	"time"
)

// operationTimes are how long the operations of a program take: each, and each hundred in a row. Both are times that pass,
// because the collector works in other threads.
type operationTimes struct {
	ones []time.Duration
	last time.Time
}

var (
	figures = []string{"p50", "p99", "p99.9", "max"}
	parts   = []float64{0.5, 0.99, 0.999, 1}
	groups  = map[int]string{1: ", one, ", 100: ", hundred, "}
)

// Of the last run at each x.
var keptTimes = map[int]*operationTimes{}

func newOperationTimes(operations int) *operationTimes {
	return &operationTimes{ones: make([]time.Duration, 0, operations), last: time.Now()}
}

// start begins an operation that does not follow the one before it.
func (t *operationTimes) start() {
	t.last = time.Now()
}

func (t *operationTimes) done() {
	now := time.Now()
	t.ones = append(t.ones, now.Sub(t.last))
	t.last = now
}

// add adds the operations of another thread.
func (t *operationTimes) add(other *operationTimes) {
	t.ones = append(t.ones, other.ones...)
}

func (t *operationTimes) keep(x int) {
	keptTimes[x] = t
}

// withOperationTimes returns the series of a program, and those that tell how long its operations took in its run before
// them: each, and each of `other` groups of operations in a row.
func withOperationTimes(name string, extents []extent, measured program, other ...int) []*series {
	plot := []*series{{name: name, extents: extents, program: measured}}
	for _, group := range append([]int{1}, other...) {
		for i, part := range parts {
			plot = append(plot, &series{
				name:    name + groups[group] + figures[i],
				extents: extents,
				tell:    func(x int) int64 { return keptTimes[x].quantile(group, part) },
			})
		}
	}
	return plot
}

func (t *operationTimes) quantile(group int, part float64) int64 {
	var sums []int64
	for hundred := range slices.Chunk(t.ones[:len(t.ones)-len(t.ones)%group], group) {
		var sum time.Duration
		for _, one := range hundred {
			sum += one
		}
		sums = append(sums, max(sum.Nanoseconds(), 1)) // ratios are made of it
	}
	slices.Sort(sums)
	return sums[int(part*float64(len(sums)-1))]
}
