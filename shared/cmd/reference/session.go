package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
)

// seed is the seed of the world that lessons show.
const seed = 42

// session runs steps one after another with one LAB_HOME.
type session struct {
	course *course.Course
	home   home.Home
	limit  time.Duration
	out    io.Writer
	ran    map[int]bool    // steps whose runs have set their scene here
	built  map[string]bool // packages that go run has been saved from building
}

// open makes a session with an empty LAB_HOME, which Close removes.
func open(c *course.Course, limit time.Duration, out io.Writer) (*session, error) {
	dir, err := os.MkdirTemp("", "relevance-lab-reference-*")
	if err != nil {
		return nil, fmt.Errorf("make a folder to record in: %w", err)
	}
	return &session{
		course: c, home: home.Home(dir), limit: limit, out: out, ran: map[int]bool{}, built: map[string]bool{},
	}, nil
}

// Close removes the session's LAB_HOME.
func (s *session) Close() error { return os.RemoveAll(string(s.home)) }

// record runs the step's commands as the lesson shows them.
func (s *session) record(ctx context.Context, step course.Step) (course.Reference, error) {
	runs, config, err := s.runs(ctx, step, false)
	if err != nil {
		return course.Reference{}, err
	}
	reference := course.Reference{
		Schema: course.ReferenceSchema, RecordedAt: time.Now().UTC().Truncate(time.Second), Machine: record.ThisMachine(),
		Config: map[string]any{"seed": seed}, Runs: runs,
	}
	for key, value := range config {
		reference.Config[key] = value
	}
	for _, run := range runs {
		if run.Numbers != nil {
			reference.Numbers = run.Numbers
			break
		}
	}
	return reference, nil
}

// runs runs the step's commands, in their short forms where asked, after the steps that set its scene. config is of the
// first run that recorded any.
func (s *session) runs(ctx context.Context, step course.Step, short bool) (
	recorded []course.Recorded, config map[string]any, err error,
) {
	for _, number := range step.After {
		before, _ := s.course.Find(fmt.Sprint(number))
		if s.ran[number] {
			continue
		}
		fmt.Fprintf(s.out, "%s sets the scene\n", before.Folder)
		if _, _, err := s.runs(ctx, before, true); err != nil {
			return nil, nil, err
		}
	}
	stage := stage{session: s, step: step, servers: map[string]*server{}}
	defer func() {
		if err != nil {
			stage.abandon()
		}
	}()
	if stage.ports, err = findPorts(step.Runs); err != nil {
		return nil, nil, err
	}
	for i, run := range step.Runs {
		fmt.Fprintf(s.out, "%s %s: %s\n", step.Folder, run.ID, strings.TrimSpace(text(run, short)))
		before := s.results(step)
		result, err := stage.run(ctx, run, text(run, short))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: run %s: %w", step.File("README.md"), run.ID, err)
		}
		if !bytes.Equal(before, s.results(step)) {
			made, err := record.Load(s.home.Results(), step.Folder)
			if err != nil {
				return nil, nil, fmt.Errorf("run %s: %w", run.ID, err)
			}
			result.Numbers = made.Numbers
			if config == nil {
				config = made.Config
			}
		}
		recorded = append(recorded, result)
		if err := stage.end(run.ID, i == len(step.Runs)-1, recorded); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", step.File("README.md"), err)
		}
	}
	s.ran[step.Number] = true
	return recorded, config, s.discreet(step, recorded)
}

func text(run course.Run, short bool) string {
	if short && run.Short != "" {
		return run.Short
	}
	return run.Command
}

// results is the content of the step's recorded run; nil where there is none.
func (s *session) results(step course.Step) []byte {
	content, err := os.ReadFile(record.Path(s.home.Results(), step.Folder))
	if err != nil {
		return nil
	}
	return content
}

// personal are the variables by which a person changes what the lab does. A record is made without them.
var personal = []string{
	"LAB_", "AWS_", "BLOOM=", "CACHE_SIZE=", "DB_", "HOST=", "PORT=", "DEBUG=",
	"GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG=",
}

// environment is what every command runs with, beside the settings it is written with. An empty GOWORK means the
// checkout's own.
func (s *session) environment(port string) []string {
	var kept []string
	for _, entry := range os.Environ() {
		if !hasPrefixOf(entry, personal) {
			kept = append(kept, entry)
		}
	}
	return append(kept, home.Variable+"="+string(s.home), "PORT="+port,
		"GOWORK=", "NO_COLOR=1", "COLUMNS=80", "TERM=dumb", "TZ=UTC")
}

func hasPrefixOf(text string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// compile builds what go run will run, once, so that downloads and build errors are no part of a record.
func (s *session) compile(ctx context.Context, command course.Command) error {
	if !isGoRun(command) || !strings.HasPrefix(command.Args[2], "./") || s.built[command.Args[2]] {
		return nil
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", os.DevNull, command.Args[2])
	build.Dir, build.Env = s.course.Root, append(os.Environ(), "GOWORK=")
	if output, err := build.CombinedOutput(); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		return fmt.Errorf("does not build:\n%s", bytes.TrimSpace(output))
	}
	s.built[command.Args[2]] = true
	return nil
}

// discreet fails when a record tells where it was made.
func (s *session) discreet(step course.Step, runs []course.Recorded) error {
	names := map[string]string{"go-build": "a temporary program"}
	for path, what := range map[string]string{string(s.home): "LAB_HOME", s.course.Root: "the checkout"} {
		names[path] = what
		if real, err := filepath.EvalSymlinks(path); err == nil {
			names[real] = what
		}
	}
	if dir, err := os.UserHomeDir(); err == nil && len(dir) > 1 {
		names[dir] = "your home folder"
	}
	for _, run := range runs {
		for name, what := range names {
			escaped := strings.ReplaceAll(name, `\`, `\\`) // as JSON shows a Windows path
			if strings.Contains(run.Output, name) || strings.Contains(run.Output, escaped) {
				return fmt.Errorf("%s: run %s prints the path of %s (%s); "+
					"a program prints paths from the root of the checkout", step.File("README.md"), run.ID, what, name)
			}
		}
		if host, err := os.Hostname(); err == nil && host != "localhost" && containsWord(run.Output, host) {
			return fmt.Errorf("%s: run %s prints the name of this machine (%s)", step.File("README.md"), run.ID, host)
		}
	}
	return nil
}
