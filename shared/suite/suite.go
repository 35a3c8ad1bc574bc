// Package suite runs the checks of steps, the tests in their folders, and says in words what they found.
//
// It runs go test for one step at a time, with the settings that a check expects, and reads the events that go test
// writes for programs. A check is one top-level test; its name is a sentence, and is shown as one. A step whose checks
// do not build is told apart from a step whose checks fail.
//
// go test runs in a process of its own that ends with this one, however that ends, and takes with it all that the
// checks have started. Temporary files of the checks live in one folder, which goes too.
package suite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/record"
)

// RecordedVariable is the environment variable that makes a check judge the reader's own recorded run, when it is
// "recorded".
const RecordedVariable = "LAB_CHECK"

// Result is what the checks of one step found.
type Result struct {
	Step     string    `json:"step"` // the folder: "06-load"
	Part     int       `json:"part"`
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Skipped  int       `json:"skipped"`
	Seconds  float64   `json:"seconds"`
	Failures []Failure `json:"failures,omitempty"`
	Broken   string    `json:"broken,omitempty"` // why no check could say anything: it did not build, or ended early
	Open     string    `json:"open,omitempty"`   // why there was nothing to judge yet
}

// Failure is a check that failed: what it says, and the first thing it complained about.
type Failure struct {
	Sentence string `json:"sentence"`
	Message  string `json:"message"`
}

// OK tells whether nothing failed.
func (r Result) OK() bool { return r.Failed == 0 && r.Broken == "" }

// ErrNoGo says that there is no go command.
var ErrNoGo = errors.New("there is no go command on the PATH, and the checks run with go test; " +
	"install Go 1.26 or newer from go.dev, or add its folder to PATH")

// Run runs all checks of the step, each on programs that it starts itself. The error is that of ctx, or says why go test
// could not be started at all. The program's main must have dispatched Role.
func Run(ctx context.Context, step course.Step) (Result, error) {
	return run(ctx, step, "")
}

// Judge runs those checks of the step that judge a recorded run, on the reader's own in results/ and not on a new one.
// Where there is none, or no such check, the result says so in Open.
func Judge(ctx context.Context, step course.Step) (Result, error) {
	open := Result{Step: step.Folder, Part: step.Part}
	where, err := home.Find()
	if err != nil {
		return open, err
	}
	judges, err := judges(step)
	if err == nil && len(judges) == 0 {
		open.Open = "none of its checks judges a recorded run"
		return open, nil
	}
	if _, err := os.Stat(record.Path(where.Results(), step.Folder)); errors.Is(err, os.ErrNotExist) {
		open.Open = "no recorded run yet; make one with: " + step.Command()
		return open, nil
	}
	// Where the checks cannot be read, all of them are run, and go test says why.
	return run(ctx, step, where, judges...)
}

// run runs the tests with these names, or all. With judged they judge the recorded runs in that home.
func run(ctx context.Context, step course.Step, judged home.Home, tests ...string) (Result, error) {
	result := Result{Step: step.Folder, Part: step.Part}
	if _, err := exec.LookPath("go"); err != nil {
		return result, ErrNoGo
	}
	temporary, err := os.MkdirTemp("", "relevance-lab-checks-")
	if err != nil {
		return result, err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // what cannot be removed is no fault of a check
	args := []string{step.Dir, string(judged), temporary, "test", "-json", "-count=1"}
	if len(tests) > 0 {
		args = append(args, "-run", "^("+strings.Join(tests, "|")+")$")
	}
	start := time.Now()
	heard := &reading{}
	process, err := proc.Start(roleName, append(args, "."), nil, heard, heard)
	if err != nil {
		return result, err
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		process.Stop()
		return result, ctx.Err()
	}
	err = process.Wait()
	if ctx.Err() != nil { // both happened at once
		return result, ctx.Err()
	}
	heard.end(&result, err)
	result.Seconds = time.Since(start).Seconds()
	return result, nil
}

const roleName = "go test"

// Role is the role of the process that runs go test for Run and Judge. Its arguments are the folder to run it in, the
// home whose recorded runs are judged or nothing, the folder for temporary files, and go's own. It removes that folder
// too, because whoever made it may have been killed.
func Role() proc.Role {
	return proc.Role{Name: roleName, Run: func(ctx context.Context, args []string) error {
		folder, judged, temporary := args[0], args[1], args[2]
		command := exec.Command("go", args[3:]...)
		command.Dir, command.Stdout, command.Stderr = folder, os.Stdout, os.Stderr
		command.Env = append(unset(os.Environ()), "PWD="+folder, "TMPDIR="+temporary, "TMP="+temporary, "TEMP="+temporary)
		if judged != "" {
			command.Env = append(command.Env, RecordedVariable+"=recorded", home.Variable+"="+judged)
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		return proc.RunTree(ctx, command)
	}}
}

// settings are the variables that a person may have set for the programs of the lab, and that a check does not expect.
var settings = []string{
	"BLOOM", "CACHE_SIZE", "DB_DELAY_MS", "DB_BUDGET_MS", "PORT", "HOST", "DEBUG", "PREDICT", "LAB_SEED", home.Variable,
	RecordedVariable,
}

// unset returns the environment without the settings.
func unset(environment []string) []string {
	return slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(settings, name)
	})
}
