package main

import (
	"runtime"
	"syscall"
	"time"
)

// nanosecondsOf times a point by one run: the processor time of all threads, because the collector has some of its own;
// the time that passes, if the program starts threads.
func nanosecondsOf(each *series, x int) int64 {
	prepare(each.program, x)
	var taken int64
	if each.program.startsThreads {
		started := time.Now()
		each.run(x)
		taken = time.Since(started).Nanoseconds()
	} else {
		taken = -processorTime()
		each.run(x)
		taken += processorTime()
	}
	finish(each.program)
	return taken
}

// prepare has what programs before this one have left collected, so that this one is not timed for it. What it has
// prepared itself is then old.
func prepare(measured program, x int) {
	if measured.prepare != nil {
		measured.prepare(x)
	}
	runtime.GC()
}

func finish(measured program) {
	if measured.finish != nil {
		measured.finish()
	}
}

func processorTime() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
