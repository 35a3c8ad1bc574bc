// Package check is what a step's check_test.go is written with: it runs the step's program as a person would, as a
// process with a folder of its own, and hands back what was printed and the exit status.
//
// A check never changes the reader's own data, and reads it only where it is told to judge the reader's own run: with
// LAB_CHECK=recorded, Recorded hands back the run in results/; otherwise the program is run now. Where a check judges a
// recorded run, it judges counters and ratios, never an absolute time. Sound and Compare hold a run to what every
// honest run keeps. Prove proves of a check that it accepts an honest run and names what is wrong with a forged one.
package check

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/home"
)

// limit bounds one run of a step's program.
const limit = 2 * time.Minute

// stepVariable makes the test's executable be the step's program.
const stepVariable = "LAB_CHECK_STEP"

// Main is for TestMain: it lets the test's executable play the step's program, main, when New's Program starts it, so
// that a check runs the program as a process, with its exit status, without building it a second time.
func Main(m *testing.M, main func()) {
	if os.Getenv(stepVariable) != "" {
		main()
		os.Exit(0)
	}
	status := m.Run()
	ran.forget()
	os.Exit(status)
}

// Program is a step's program, with a LAB_HOME of its own.
type Program struct {
	Path string
	Home home.Home
}

// New returns the program of the step whose test this is. Its TestMain must call Main.
func New(t testing.TB) Program {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return Program{Path: path, Home: home.Home(t.TempDir())}
}

// Result is what a run printed and how it ended.
type Result struct {
	Stdout string
	Stderr string
	Exit   int
}

// Run runs the program to its end with the arguments; those of the form NAME=value go to its environment.
func (p Program) Run(t testing.TB, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	command := p.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err, "the step's program did not run")
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), Exit: command.ProcessState.ExitCode()}
}

// Succeed runs the program and requires exit status 0.
func (p Program) Succeed(t testing.TB, args ...string) string {
	t.Helper()
	result := p.Run(t, args...)
	require.Zero(t, result.Exit, "exit status; stderr:\n%s", result.Stderr)
	return result.Stdout
}

// Refuse runs the program and requires the exit status and one clear line on stderr, which it returns.
func (p Program) Refuse(t testing.TB, exit int, args ...string) string {
	t.Helper()
	result := p.Run(t, args...)
	require.Equal(t, exit, result.Exit, "exit status; stdout:\n%s\nstderr:\n%s", result.Stdout, result.Stderr)
	line := strings.TrimSuffix(result.Stderr, "\n")
	require.NotEmpty(t, line, "an error is told on stderr")
	require.NotContains(t, line, "\n", "an error is one line")
	return line
}

func (p Program) command(ctx context.Context, args ...string) *exec.Cmd {
	environment := []string{home.Variable + "=" + string(p.Home), stepVariable + "=1"}
	for len(args) > 0 && assignment.MatchString(args[0]) {
		environment, args = append(environment, args[0]), args[1:]
	}
	command := exec.CommandContext(ctx, p.Path, args...)
	command.Env = append(os.Environ(), environment...)
	return command
}

var assignment = regexp.MustCompile(`^[A-Z_]+=`)

// Number finds the first match of pattern in text and returns its first group as a number; thousands separators are
// allowed.
func Number(t testing.TB, text, pattern string) float64 {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, match, "nothing like %q was printed; seen:\n%s", pattern, text)
	value, err := strconv.ParseFloat(strings.ReplaceAll(match[1], ",", ""), 64)
	require.NoError(t, err)
	return value
}
