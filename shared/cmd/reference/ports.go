package main

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// defaultPort is where the API listens when nothing else is said.
const defaultPort = "8000"

// ports maps the ports that lessons show, 8000 to 8099, to ports that are free here: a recording neither fails on a
// port that is taken nor talks to a server of yours.
type ports map[string]string

var (
	shownPort = regexp.MustCompile(`(127\.0\.0\.1:|localhost:|PORT=|--port[= ])(80[0-9]{2})\b`)
	portWord  = regexp.MustCompile(`^80[0-9]{2}$`)
)

// findPorts finds a free port for every port in the commands, and for 8000.
func findPorts(runs []course.Run) (ports, error) {
	found := ports{defaultPort: ""}
	for _, run := range runs {
		for _, match := range shownPort.FindAllStringSubmatch(run.Command+"\n"+run.Short, -1) {
			found[match[2]] = ""
		}
	}
	for shown := range found {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close() // all are held until each has its own
		found[shown] = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	}
	return found, nil
}

// of is the free port for a port that a lesson shows.
func (p ports) of(shown string) string { return p[shown] }

// swap puts the free ports into a command.
func (p ports) swap(command course.Command) course.Command {
	swapped := course.Command{}
	for _, setting := range command.Env {
		swapped.Env = append(swapped.Env, p.swapWord(setting))
	}
	for i, arg := range command.Args {
		if i > 0 && command.Args[i-1] == "--port" && portWord.MatchString(arg) {
			arg = p[arg]
		}
		swapped.Args = append(swapped.Args, p.swapWord(arg))
	}
	return swapped
}

func (p ports) swapWord(word string) string {
	return shownPort.ReplaceAllStringFunc(word, func(found string) string {
		return found[:len(found)-len(defaultPort)] + p[found[len(found)-len(defaultPort):]]
	})
}

// restore puts the ports that the lesson shows back into what was printed.
func (p ports) restore(printed string) string {
	for shown, free := range p {
		pattern := regexp.MustCompile(`(?i)(:|port |port=|"port":)` + free + `\b`)
		printed = pattern.ReplaceAllStringFunc(printed, func(found string) string {
			return strings.TrimSuffix(found, free) + shown
		})
	}
	return printed
}
