package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Measures the memory that a point takes, and the pauses of the collector, in a process of its own, whose collector tells
// of each collection on stderr.
const (
	memoryHere = "memory-here"
	fromHere   = "measured from here"
	toHere     = "measured to here"
)

// The world is stopped twice: before it is marked, and after it.
var collection = regexp.MustCompile(`(?m)^gc \d+ .*: ([0-9.]+)\+[0-9.]+\+([0-9.]+) ms clock`)

// memoryOf returns the figures of a point as JSON.
func memoryOf(workload string, series int, x int) (string, error) {
	child := exec.Command("/proc/self/exe", memoryHere, workload, strconv.Itoa(series), strconv.Itoa(x))
	child.Env = append(os.Environ(), "GODEBUG=gctrace=1")
	var told bytes.Buffer
	child.Stderr = &told
	figures, err := child.Output()
	if err != nil {
		return "", fmt.Errorf("the child that measures memory: %w: %s", err, lastLine(told.String()))
	}
	_, measured, _ := strings.Cut(told.String(), fromHere)
	measured, _, ended := strings.Cut(measured, toHere)
	if !ended {
		return "", errors.New("the child that measures memory ended too early")
	}
	collections := collection.FindAllStringSubmatch(measured, -1)
	answer := fmt.Sprintf("%s, \"collections\": %d", bytes.TrimSpace(figures), len(collections))
	if len(collections) > 0 {
		pauses := pausesOf(collections)
		answer += fmt.Sprintf(", \"median_pause\": %d, \"longest_pause\": %d",
			pauses[len(pauses)/2], pauses[len(pauses)-1])
	}
	return answer, nil
}

// pausesOf returns the nanoseconds of each stop, the shortest first.
func pausesOf(collections [][]string) []int64 {
	var pauses []int64
	for _, each := range collections {
		for _, milliseconds := range each[1:] {
			pause, err := strconv.ParseFloat(milliseconds, 64)
			if err != nil {
				panic(err)
			}
			pauses = append(pauses, int64(1e6*pause))
		}
	}
	slices.Sort(pauses)
	return pauses
}

// measureHere measures in this process, and prints what its parent has to know.
func measureHere(measured *series, x int) {
	before := present()
	prepare(measured.program, x)
	fmt.Fprintln(os.Stderr, fromHere)
	measured.run(x)
	fmt.Fprintln(os.Stderr, toHere)
	finish(measured.program)
	left := present()
	ofFiles := bytesIn("smaps_rollup", "Rss:") - left
	peak := max(left, bytesIn("status", "VmHWM:")-ofFiles)
	fmt.Printf("\"peak\": %d, \"left\": %d\n", peak-before, left-before)
}

func present() int64 {
	return bytesIn("smaps_rollup", "Anonymous:")
}

// bytesIn returns the bytes in a line of a file under /proc/self.
func bytesIn(file string, name string) int64 {
	text, err := os.ReadFile("/proc/self/" + file)
	if err != nil {
		panic(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n"+name)
	kibibytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		panic(err)
	}
	return 1024 * kibibytes
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
