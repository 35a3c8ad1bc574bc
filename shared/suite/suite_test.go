package suite_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/suite"
)

// mixed has a check of each kind. It uses the standard library only, so it builds offline in a moment, and writes what
// testify would.
const mixed = `package main

import "testing"

func TestTheSumIsRight(t *testing.T) {}
func TestTheMapIsComplete(t *testing.T) {
	t.Run("no street is missing", func(t *testing.T) {
		t.Log("looking")
		t.Errorf("\n\tError Trace:\t/somewhere/check_test.go:9\n\tError:      \tNot equal: \n\t            \texpected: 1\n" +
			"\t            \tactual  : 2\n\t            \t\n\t            \tDiff:\n\t            \t--- Expected\n\tTest:       \tX\n" +
			"\tMessages:   \tstreets of the map\n")
	})
	t.Run("every street has a name", func(t *testing.T) {})
}
func TestTheSeaIsBlue(t *testing.T) { t.Fatalf("the sea is %s", "green") }
func TestTheMoonIsFull(t *testing.T) { t.Skip("it is day") }
`

func TestEachCheckIsCountedOnceAndAFailureSaysWhatFailedAndWhy(t *testing.T) {
	result, err := suite.Run(t.Context(), step(t, mixed))
	require.NoError(t, err)
	require.Equal(t, suite.Result{
		Step: "01-hello", Part: 1, Passed: 1, Failed: 2, Skipped: 1, Seconds: result.Seconds,
		Failures: []suite.Failure{
			{Sentence: "The map is complete: no street is missing", Message: "check_test.go:9: streets of the map: Not equal: expected: 1 actual : 2"},
			{Sentence: "The sea is blue", Message: "check_test.go:15: the sea is green"},
		},
	}, result)
}

func TestChecksThatCannotSayAnythingAreToldApartFromChecksThatFail(t *testing.T) {
	for name, broken := range map[string]struct{ check, says string }{
		"no Go": {"package main\n\nfunc Test(", "it did not build: "},
		"a type that does not fit": {
			"package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { var n int = \"x\"; _ = n }\n",
			"it did not build: ./check_test.go:5:",
		},
		"a package that is nowhere": {
			"package main\n\nimport (\n\t_ \"example.com/nowhere\"\n\t\"testing\"\n)\n\nfunc TestX(t *testing.T) {}\n",
			"example.com/nowhere",
		},
		"an early end": {
			"package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) " +
				"{ fmt.Println(\"the sky fell\"); os.Exit(7) }\nfunc TestX(t *testing.T) {}\n",
			"it ended early: the sky fell",
		},
		"no checks": {"package main\n", "it has no checks"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := suite.Run(t.Context(), step(t, broken.check))
			require.NoError(t, err)
			require.Contains(t, result.Broken, broken.says)
			require.NotContains(t, result.Broken, "\n")
			require.Zero(t, result.Passed+result.Failed)
			require.ErrorContains(t, suite.Results{result}.Err(), "1 step could not be checked")
		})
	}
	t.Run("but a panic is a check that failed", func(t *testing.T) {
		result, err := suite.Run(t.Context(), step(t,
			"package main\n\nimport \"testing\"\n\nfunc TestTheBridgeHolds(t *testing.T) { panic(\"it did not\") }\n"))
		require.NoError(t, err)
		require.Empty(t, result.Broken)
		require.Len(t, result.Failures, 1)
		require.Equal(t, "The bridge holds", result.Failures[0].Sentence)
		require.Contains(t, result.Failures[0].Message, "panic: it did not")
	})
}

func TestTheChecksDoNotGetTheSettingsOfThePersonWhoRunsThem(t *testing.T) {
	for _, setting := range []string{"BLOOM=off", "LAB_SEED=7", "PREDICT=61", "LAB_HOME=/nowhere", "LAB_CHECK=recorded"} {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
	}
	one := step(t, `package main

import (
	"os"
	"testing"
)

func TestNothingIsSet(t *testing.T) {
	for _, name := range []string{"BLOOM", "LAB_SEED", "PREDICT", "LAB_HOME", "LAB_CHECK", "LAB_ROLE"} {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s=%s", name, value)
		}
	}
}
`)
	t.Setenv("LAB_HOME", "/nowhere")
	result, err := suite.Run(t.Context(), one)
	require.NoError(t, err)
	require.Empty(t, result.Failures)
	require.Equal(t, 1, result.Passed)
}

// endless tells its process number and never ends, not even when it is asked to.
const endless = `package main

import (
	"os"
	"os/signal"
	"strconv"
	"testing"
)

func TestItNeverEnds(t *testing.T) {
	signal.Ignore(os.Interrupt)
	if err := os.WriteFile("pid.tmp", []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(t.TempDir()+"/left", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("pid.tmp", "pid"); err != nil {
		t.Fatal(err)
	}
	select {}
}
`

func TestAnInterruptedRunLeavesNeitherProcessesNorFiles(t *testing.T) {
	temporary := t.TempDir()
	one := step(t, endless)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temporary)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := suite.Run(ctx, one)
		ended <- err
	}()
	pid := filepath.Join(one.Dir, "pid")
	require.Eventually(t, func() bool { _, err := os.Stat(pid); return err == nil }, time.Minute, 10*time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	number := 0
	for _, digit := range coursetest.Read(t, one.Dir, "pid") {
		number = 10*number + int(digit-'0')
	}
	require.Positive(t, number)
	require.Eventually(t, func() bool {
		exists, err := process.PidExists(int32(number))
		return err == nil && !exists
	}, 5*time.Second, 10*time.Millisecond, "the check's process %d is still there", number)
	entries, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestWithoutAGoCommandTheErrorSaysWhatToInstall(t *testing.T) {
	one := step(t, mixed)
	t.Setenv("PATH", t.TempDir())
	_, err := suite.Run(t.Context(), one)
	require.ErrorIs(t, err, suite.ErrNoGo)
}
