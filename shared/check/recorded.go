package check

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/suite"
)

// ownRun is the value of suite.RecordedVariable that makes a check judge the run in results/.
const ownRun = "recorded"

// judgesOwnRun tells whether the checks judge a run that somebody else made.
func judgesOwnRun() bool { return os.Getenv(suite.RecordedVariable) == ownRun }

// Recorded returns the run of the step, the name of its folder, that is to be judged. With LAB_CHECK=recorded it is the
// reader's own in results/, and the test fails where there is none. Otherwise it is the one that Ran makes.
func Recorded(t testing.TB, step string, args ...string) record.Record {
	t.Helper()
	var results string
	if judgesOwnRun() {
		where, err := home.Find()
		require.NoError(t, err)
		results = where.Results()
	} else {
		run := ran.once(t, args)
		require.Zero(t, run.result.Exit, "exit status of the run that is judged; stderr:\n%s", run.result.Stderr)
		results = run.results
	}
	made, err := record.Load(results, step)
	require.NoError(t, err, "there is no recorded run to judge")
	return made
}

// Ran runs the program with the arguments, in a home of its own, and returns what it printed. A test's executable does
// that once for the same arguments: whoever asks again is told of the same run. The home stays until all tests have
// ended, so that further runs can go on from this one.
func Ran(t testing.TB, args ...string) (Program, Result) {
	t.Helper()
	run := ran.once(t, args)
	return run.program, run.result
}

// ran are the runs that this executable has made: each takes seconds, and several tests look at it.
var ran runs

type runs struct {
	mutex  sync.Mutex
	byArgs map[string]*run
}

type run struct {
	program Program
	result  Result
	results string // a copy of results/ as the run left it, whatever is run in its home later
}

func (r *runs) once(t testing.TB, args []string) *run {
	t.Helper()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := strings.Join(args, "\x00")
	if made := r.byArgs[key]; made != nil {
		return made
	}
	dir, err := os.MkdirTemp("", "relevance-lab-check-")
	require.NoError(t, err)
	one := &run{program: New(t), results: filepath.Join(dir, "kept")}
	one.program.Home = home.Home(dir)
	one.result = one.program.Run(t, args...)
	if err := os.CopyFS(one.results, os.DirFS(one.program.Home.Results())); !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	if r.byArgs == nil {
		r.byArgs = map[string]*run{}
	}
	r.byArgs[key] = one
	return one
}

// forget removes what the runs have left on disk.
func (r *runs) forget() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, one := range r.byArgs {
		_ = os.RemoveAll(string(one.program.Home))
	}
}
