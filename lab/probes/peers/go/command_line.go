package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var errUsage = errors.New("usage: identify | (time | memory) WORKLOAD... [--threaded] [--scale NUMBER]")

// A commandLine is what a probe is asked to do.
type commandLine struct {
	action    string
	workloads []string
	threaded  bool
	scale     int
}

func readCommandLine(arguments []string) (commandLine, error) {
	if len(arguments) == 0 {
		return commandLine{}, errUsage
	}
	asked := commandLine{action: arguments[0], scale: 300_000}
	if asked.action == "identify" && len(arguments) == 1 {
		return asked, nil
	}
	if asked.action != "time" && asked.action != "memory" {
		return asked, errUsage
	}
	for rest := arguments[1:]; len(rest) > 0; rest = rest[1:] {
		switch {
		case rest[0] == "--threaded":
			asked.threaded = true
		case rest[0] == "--scale" && len(rest) == 1:
			return asked, errUsage
		case rest[0] == "--scale":
			rest = rest[1:]
			number, err := strconv.ParseInt(rest[0], 10, 32)
			if err != nil || number <= 0 {
				return asked, fmt.Errorf("--scale needs a positive number, not %q", rest[0])
			}
			asked.scale = int(number)
		case strings.HasPrefix(rest[0], "--"):
			return asked, fmt.Errorf("unknown option %q", rest[0])
		default:
			asked.workloads = append(asked.workloads, rest[0])
		}
	}
	if len(asked.workloads) == 0 {
		return asked, errUsage
	}
	return asked, nil
}
