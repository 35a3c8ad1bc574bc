package check

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
)

const standInStep = "00-stand-in"

func TestMain(m *testing.M) { Main(m, standIn) }

// standIn is a step's program: it says when it was run, and records one number. With an argument it refuses.
func standIn() {
	fmt.Println(time.Now().UnixNano())
	if len(os.Args) > 1 && os.Args[1] == "--refuse" {
		fmt.Fprintln(os.Stderr, "it is refused")
		os.Exit(1)
	}
	made, err := record.New(standInStep, nil, map[string]float64{"rows": 5}, nil)
	if err == nil {
		err = made.Save(home.Home(os.Getenv(home.Variable)).Results())
	}
	if err != nil {
		panic(err)
	}
}

// fake is a test that is allowed to fail.
type fake struct {
	testing.TB
	name   string
	said   string
	failed bool
}

func (f *fake) Helper()      {}
func (f *fake) Name() string { return f.name }

func (f *fake) Errorf(format string, args ...any) {
	f.failed = true
	f.said += fmt.Sprintf(format, args...) + "\n"
}

func (f *fake) FailNow() {
	f.failed = true
	runtime.Goexit()
}

func (f *fake) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	f.FailNow()
}

// try runs a check as a test of that name and tells what became of it.
func try(t *testing.T, name string, judge func(testing.TB)) *fake {
	t.Helper()
	f := &fake{TB: t, name: name}
	done := make(chan struct{})
	go func() {
		defer close(done)
		judge(f)
	}()
	<-done
	return f
}

func TestAProgramIsRunOnceForAllThatLookAtTheSameRun(t *testing.T) {
	program, first := Ran(t, "--once")
	require.DirExists(t, program.Home.Results())
	_, again := Ran(t, "--once")
	require.Equal(t, first, again)
	_, other := Ran(t, "--twice")
	require.NotEqual(t, first, other)

	t.Run("and what is recorded in its home later does not change the run", func(t *testing.T) {
		require.NoError(t, os.Remove(record.Path(program.Home.Results(), standInStep)))
		require.Equal(t, 5.0, Recorded(t, standInStep, "--once").Numbers["rows"])
	})
}

func TestARunThatFailedIsNotJudged(t *testing.T) {
	f := try(t, "", func(t testing.TB) { Recorded(t, standInStep, "--refuse") })
	require.True(t, f.failed)
	require.Contains(t, f.said, "it is refused")
}

func TestTheReadersOwnRunIsJudgedWhereThatIsAskedFor(t *testing.T) {
	mine := home.Home(t.TempDir())
	t.Setenv("LAB_CHECK", "recorded")
	t.Setenv(home.Variable, string(mine))
	f := try(t, "", func(t testing.TB) { Recorded(t, standInStep) })
	require.True(t, f.failed)
	require.Contains(t, f.said, "no recorded run; run it with: go run ./steps/00-stand-in")

	made, err := record.New(standInStep, nil, map[string]float64{"rows": 7}, nil)
	require.NoError(t, err)
	require.NoError(t, made.Save(mine.Results()))
	require.Equal(t, 7.0, Recorded(t, standInStep).Numbers["rows"])

	t.Run("and one that cannot be read is none", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(mine.Results(), "step-00.json"), []byte("{"), 0o644))
		f := try(t, "", func(t testing.TB) { Recorded(t, standInStep) })
		require.True(t, f.failed)
		require.Contains(t, f.said, "step-00.json is damaged")
	})
}
