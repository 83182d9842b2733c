// A probe in Go: the programs beside this file. It is asked and answers as the probes in C++ do (../../harness), but that
// it always has more than one thread.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

var strategy string // its name, which the linker writes

func main() {
	if err := answer(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "probe_%s: %v\n", strategy, err)
		os.Exit(2)
	}
}

func answer(arguments []string) error {
	if len(arguments) == 4 && arguments[0] == memoryHere {
		return answerParent(arguments[1], arguments[2], arguments[3])
	}
	asked, err := readCommandLine(arguments)
	if err != nil {
		return err
	}
	if asked.action == "identify" {
		return identify()
	}
	for _, name := range asked.workloads {
		measured, err := find(name)
		if err != nil {
			return err
		}
		if err := measure(measured, asked); err != nil {
			return err
		}
	}
	return nil
}

// The collector is the one that the strategy names, or this is not what it says.
func identify() error {
	if found := debug.SetGCPercent(growth); found != growth {
		return fmt.Errorf("GOGC is %d, not %d", found, growth)
	}
	version := strings.TrimPrefix(runtime.Version(), "go")
	fmt.Printf("{\"compiler\": \"go %s\", \"strategy\": \"%s\", \"library\": \"Go %s\"}\n", version, strategy, version)
	return nil
}

func find(name string) (workload, error) {
	for _, each := range workloads {
		if each.name == name {
			return each, nil
		}
	}
	return workload{}, fmt.Errorf("there is no workload %q", name)
}

func answerParent(name, number, size string) error {
	measured, err := find(name)
	if err != nil {
		return err
	}
	at, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	x, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	measureHere(measured.plot[at], x)
	return nil
}

func measure(measured workload, asked commandLine) error {
	timing := asked.action == "time"
	if timing && !asked.threaded {
		return errors.New("a program in Go always has more than one thread: --threaded is missing")
	}
	var points []string
	for i, each := range measured.plot {
		if each.tell != nil && !timing {
			continue
		}
		for _, x := range each.sizes(asked.scale) {
			figures, err := figuresOf(measured, i, x, timing)
			if err != nil {
				return err
			}
			points = append(points, fmt.Sprintf("{\"series\": \"%s\", \"x\": %d, %s}", each.name, x, figures))
		}
	}
	fmt.Printf("{\"checksum\": \"%d\", \"points\": [%s]}\n", measured.checksum(), strings.Join(points, ", "))
	return nil
}

// figuresOf returns the figures of a point as JSON.
func figuresOf(measured workload, at int, x int, timing bool) (string, error) {
	each := measured.plot[at]
	if !timing {
		return memoryOf(measured.name, at, x)
	}
	if each.tell != nil {
		return fmt.Sprintf("\"nanoseconds\": %d", each.tell(x)), nil
	}
	return fmt.Sprintf("\"nanoseconds\": %d", nanosecondsOf(each, x)), nil
}
