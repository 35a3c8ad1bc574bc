package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/relevance-lab/shared/course"
)

// longest is how much a run may print; more is no lesson.
const longest = 64 << 10

// stage is where one step's commands run: its ports and its servers.
type stage struct {
	session *session
	step    course.Step
	ports   ports
	servers map[string]*server // by run id
}

// server is a background run.
type server struct {
	run     course.Run
	process *process
}

// run runs one command. A background run returns as soon as its text has appeared.
func (s *stage) run(ctx context.Context, run course.Run, line string) (course.Recorded, error) {
	result := course.Recorded{ID: run.ID, Command: run.Command}
	command, err := course.ParseCommand(line)
	if err != nil {
		return result, err
	}
	if err := s.wait(ctx, run.Once); err != nil {
		return result, err
	}
	if err := s.session.compile(ctx, command); err != nil {
		return result, err
	}
	command = s.ports.swap(command)
	environment := append(s.session.environment(s.ports.of(defaultPort)), command.Env...)
	process, err := start(s.session.course.Root, environment, command.Args)
	if err != nil {
		return result, err
	}
	if run.Background() {
		s.servers[run.ID] = &server{run: run, process: process}
		printed, err := process.await(ctx, run.Until, s.session.limit)
		if err != nil {
			return result, err
		}
		result.Output, err = s.clean(printed)
		return result, err
	}
	printed, err := process.finish(ctx, s.session.limit)
	if err != nil {
		return result, err
	}
	if result.Output, err = s.clean(printed); err != nil {
		return result, err
	}
	result.Exit = exitStatus(command, process.exit(), printed)
	return result, expect(run, result.Exit, result.Output)
}

// wait waits until a server of the step has printed the text.
func (s *stage) wait(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan error, len(s.servers))
	for _, server := range s.servers {
		go func() {
			_, err := server.process.await(ctx, text, s.session.limit)
			answers <- err
		}()
	}
	missed, found := fmt.Errorf("no server printed %q", text), false
	for range s.servers { // all are heard, so that none goes on waiting
		if err := <-answers; err == nil {
			found = true
			cancel()
		} else {
			missed = errors.Join(missed, err)
		}
	}
	if found {
		return nil
	}
	return missed
}

// end stops the servers that were to run through the run with this id, and completes their records.
func (s *stage) end(id string, last bool, recorded []course.Recorded) error {
	for _, run := range slices.Backward(s.step.Runs) { // the last one started is the first to stop
		server := s.servers[run.ID]
		if server == nil || !last && run.Through != id {
			continue
		}
		delete(s.servers, run.ID)
		printed, err := server.process.stop()
		if err != nil {
			return fmt.Errorf("run %s: %w", run.ID, err)
		}
		output, err := s.clean(printed)
		if err != nil {
			return fmt.Errorf("run %s: %w", run.ID, err)
		}
		command, err := course.ParseCommand(run.Command)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(recorded, func(r course.Recorded) bool { return r.ID == run.ID })
		recorded[at].Exit = exitStatus(command, server.process.exit(), printed)
		if isGoRun(command) && !programStatus.MatchString(trimmed(printed)) {
			recorded[at].Exit = 0 // an interrupted go run ends with 1 although its program ended well
		}
		if run.Later {
			recorded[at].Output = output
		}
		if err := expect(run, recorded[at].Exit, output); err != nil {
			return fmt.Errorf("run %s: %w", run.ID, err)
		}
	}
	return nil
}

// abandon stops every server after a failure.
func (s *stage) abandon() {
	for _, server := range s.servers {
		_, _ = server.process.stop() // the failure that led here is the one to tell
	}
}

// clean makes what was printed fit for a record, or says why it is not.
func (s *stage) clean(printed string) (string, error) {
	printed = string(course.Unix([]byte(printed)))
	switch {
	case len(printed) > longest:
		return "", fmt.Errorf("printed %d KiB; a run of a lesson prints at most %d", len(printed)>>10, longest>>10)
	case !utf8.ValidString(printed):
		return "", errors.New("printed bytes that are not UTF-8 text")
	case strings.ContainsAny(printed, "\x1b\r\b\x00"):
		return "", errors.New("printed control characters although it does not write to a terminal")
	}
	return s.ports.restore(printed), nil
}

// expect holds a run to the exit status that its lesson declares.
func expect(run course.Run, exit int, output string) error {
	if exit == run.Exit {
		return nil
	}
	return fmt.Errorf("ended with exit status %d, not %d; it printed:\n%s", exit, run.Exit, trimmed(output))
}

var programStatus = regexp.MustCompile(`(?:^|\n)exit status ([0-9]+)$`)

// exitStatus is the program's exit status. go run ends with 1 whatever the program ended with, which it prints.
func exitStatus(command course.Command, exit int, printed string) int {
	if exit != 1 || !isGoRun(command) {
		return exit
	}
	if match := programStatus.FindStringSubmatch(trimmed(printed)); match != nil {
		exit, _ = strconv.Atoi(match[1])
	}
	return exit
}

func isGoRun(command course.Command) bool {
	return len(command.Args) > 2 && command.Args[0] == "go" && command.Args[1] == "run"
}

func trimmed(printed string) string { return strings.TrimRight(printed, "\r\n") }

func containsWord(text, word string) bool {
	return regexp.MustCompile(`(^|[^A-Za-z0-9_.-])` + regexp.QuoteMeta(word) + `($|[^A-Za-z0-9_-])`).MatchString(text)
}
