package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	hello = "steps/01-hello/README.md"
	serve = "steps/02-serve/README.md"
)

// recording records a checkout's steps, or one of them, and returns what was said meanwhile.
func recording(t *testing.T, root, only string, check bool) (said string, err error) {
	t.Helper()
	return recordingWithin(t, root, only, check, time.Minute)
}

func recordingWithin(t *testing.T, root, only string, check bool, limit time.Duration) (said string, err error) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GOFLAGS", "-trimpath -buildvcs=false") // so that every copy of the checkout is built once
	var out bytes.Buffer
	err = run(t.Context(), root, only, check, limit, &out)
	left, globErr := filepath.Glob(filepath.Join(os.TempDir(), "relevance-lab-*"))
	require.NoError(t, globErr)
	require.Empty(t, left, "no folder of a recording stays")
	return out.String(), err
}

func reference(t *testing.T, root, step string) course.Reference {
	t.Helper()
	c, err := course.Read(root)
	require.NoError(t, err)
	found, ok := c.Find(step)
	require.True(t, ok)
	reference, err := found.Reference()
	require.NoError(t, err)
	return reference
}

func TestTheStepsAreRecordedByRunningThem(t *testing.T) {
	root := coursetest.Checkout(t)
	_, err := recording(t, root, "", false)
	require.NoError(t, err)

	first := reference(t, root, "1")
	require.WithinDuration(t, time.Now(), first.RecordedAt, time.Minute)
	require.Equal(t, time.UTC, first.RecordedAt.Location())
	require.NotEmpty(t, first.Machine.Go)
	require.Equal(t, map[string]any{"seed": 42.0, "processes": 2.0}, first.Config)
	require.Equal(t, map[string]float64{"rows": 276536, "share": 0.497}, first.Numbers)
	plain, _ := first.Run("plain")
	require.Regexp(t, `^\[2026-10-30\] wrote 276536 rows in \S+\n$`, plain.Output)
	require.Equal(t, first.Numbers, plain.Numbers)
	refused, _ := first.Run("refused")
	require.Equal(t, 3, refused.Exit, "the program's status, not go run's")
	require.Regexp(t, `\nrefusing to publish\nexit status 3\n$`, refused.Output, "both streams, as a terminal shows them")
	require.Nil(t, refused.Numbers)

	second := reference(t, root, "2")
	server, _ := second.Run("serve")
	require.Equal(t, "listening on http://127.0.0.1:8000 (Ctrl+C stops it)\nasked\ndrained\n", server.Output)
	require.Equal(t, "BLOOM=off go run ./steps/02-serve", server.Command)
	ask, _ := second.Run("ask")
	require.Equal(t, "{\"bloom\":\"off\",\"rows\":276536}\n", ask.Output)
	again, _ := second.Run("again")
	require.Equal(t, "listening on http://127.0.0.1:8000 (Ctrl+C stops it)\n", again.Output, "what comes later is not asked for")
	require.Nil(t, second.Numbers)
}

func TestAPersonsOwnSettingsDoNotReachARecord(t *testing.T) {
	t.Setenv("BLOOM", "off")
	t.Setenv("LAB_SEED", "7")
	t.Setenv("AWS_PROFILE", "secret")
	root := coursetest.Checkout(t)
	coursetest.Edit(t, root, hello, "./steps/01-hello\n", "./steps/01-hello --say 'got ${BLOOM}${LAB_SEED}${AWS_PROFILE} ${COLUMNS} ${NO_COLOR}'\n")
	_, err := recording(t, root, "1", false)
	require.NoError(t, err)
	plain, _ := reference(t, root, "1").Run("plain")
	require.Contains(t, plain.Output, "got  80 1\n")
}

func TestATakenPort8000DoesNotDisturbARecording(t *testing.T) {
	if taken, err := net.Listen("tcp", "127.0.0.1:8000"); err == nil {
		t.Cleanup(func() { require.NoError(t, taken.Close()) })
	}
	root := coursetest.Checkout(t)
	said, err := recording(t, root, "2", false)
	require.NoError(t, err)
	require.Contains(t, said, "01-hello sets the scene", "the step alone runs what it stands on first")
	server, _ := reference(t, root, "2").Run("serve")
	require.Contains(t, server.Output, "http://127.0.0.1:8000 ")
	_, err = os.Stat(filepath.Join(root, "steps/01-hello/reference.json"))
	require.ErrorIs(t, err, os.ErrNotExist, "and does not record it")
	_, err = os.Stat(filepath.Join(root, "results"))
	require.ErrorIs(t, err, os.ErrNotExist, "the checkout's own results are left alone")
}

func TestARecordIsNotMadeOfWhatWentWrong(t *testing.T) {
	for name, fault := range map[string]struct{ file, old, new, want string }{
		"another exit status":      {hello, "exit: 3", "exit: 1", "run refused: ended with exit status 3, not 1; it printed:\n[2026-10-31]"},
		"no failure":               {hello, "    exit: 3\n", "", "run refused: ended with exit status 3, not 0"},
		"a program that is none":   {hello, "go run ./steps/01-hello\n", "nosuchprogram --x\n", "nosuchprogram is not installed here"},
		"a step that is not Go":    {"steps/01-hello/main.go", "package main", "package main; x", "run plain: does not build:"},
		"a path of LAB_HOME":       {hello, "go run ./steps/01-hello\n", "go run ./steps/01-hello --say '${LAB_HOME}/data'\n", "prints the path of LAB_HOME"},
		"a path of the checkout":   {hello, "go run ./steps/01-hello\n", "go run ./steps/01-hello --say '${PWD}/x'\n", "prints the path of the checkout"},
		"colours":                  {"steps/01-hello/main.go", "wrote %d", "\\x1b[1mwrote %d", "printed control characters"},
		"a server that is none":    {serve, "    until: listening on\n    through", "    until: ready\n    through", `did not print "ready" within`},
		"a server that ends":       {"steps/02-serve/main.go", "fmt.Printf(\"listening", "os.Exit(0)\n\tfmt.Printf(\"listening", `ended without printing "listening on"; it printed:`},
		"a server that is wrecked": {"steps/02-serve/main.go", "fmt.Println(\"drained\")", "panic(\"no\")", "run serve: ended with exit status 2, not 0"},
	} {
		t.Run(name, func(t *testing.T) {
			root := coursetest.Checkout(t)
			coursetest.Edit(t, root, fault.file, fault.old, fault.new)
			only, limit := "1", time.Minute
			if strings.Contains(fault.file, "02-serve") {
				only, limit = "2", 3*time.Second
			}
			_, err := recordingWithin(t, root, only, false, limit)
			require.ErrorContains(t, err, fault.want)
			left, err := filepath.Glob(filepath.Join(root, "steps/*/*reference.json*"))
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

func TestAnInterruptedRecordingLeavesNothingBehind(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Edit(t, root, serve, "go run ./steps/02-serve --ask 127.0.0.1:8000", "go run ./steps/02-serve")
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	out := &watcher{text: "02-serve ask:", seen: cancel}
	err := run(ctx, root, "2", false, time.Minute, out)
	require.ErrorIs(t, err, context.Canceled)
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "relevance-lab-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = os.Stat(filepath.Join(root, "steps/02-serve/reference.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// watcher calls seen when text has been written.
type watcher struct {
	text string
	seen func()
}

func (w *watcher) Write(chunk []byte) (int, error) {
	if strings.Contains(string(chunk), w.text) {
		w.seen()
	}
	return len(chunk), nil
}

func TestTheCheckPassesAfterARecordingAndTellsDrift(t *testing.T) {
	root := coursetest.Checkout(t)
	_, err := recording(t, root, "", false)
	require.NoError(t, err)
	said, err := recording(t, root, "", true)
	require.NoError(t, err)
	require.Contains(t, said, "steps checked: 2; every command prints what its lesson shows")

	coursetest.Edit(t, root, "steps/01-hello/main.go", "wrote %d rows", "stored %d rows")
	coursetest.Edit(t, root, "steps/02-serve/main.go", `"drained"`, `"drained", 7`)
	before := coursetest.Read(t, root, "steps/01-hello/reference.json")
	_, err = recording(t, root, "", true)
	require.ErrorContains(t, err, "run plain is not as it was recorded; if that is right: make reference STEP=1 weave\n- [2026-10-30] wrote 276536 rows")
	require.ErrorContains(t, err, "\n+ [2026-10-30] stored 276536 rows")
	require.ErrorContains(t, err, "- drained\n+ drained 7")
	require.Equal(t, before, coursetest.Read(t, root, "steps/01-hello/reference.json"), "a check writes nothing")
}

func TestTheCheckRunsTheShortForm(t *testing.T) {
	root := coursetest.Checkout(t)
	_, err := recording(t, root, "1", false)
	require.NoError(t, err)
	coursetest.Edit(t, root, hello, "    exit: 3", "    exit: 3\n    short: go run ./steps/01-hello --refuse")
	said, err := recording(t, root, "1", true)
	require.NoError(t, err)
	require.Contains(t, said, "01-hello refused: go run ./steps/01-hello --refuse\n")
}

func TestLinesThatVaryAreShownAndNotCompared(t *testing.T) {
	root := coursetest.Checkout(t)
	_, err := recording(t, root, "1", false)
	require.NoError(t, err)
	coursetest.Edit(t, root, "steps/01-hello/main.go", "refusing to publish", "refusing, as the machine is busy")
	_, err = recording(t, root, "1", true)
	require.ErrorContains(t, err, "+ refusing, as the machine is busy")
	coursetest.Edit(t, root, hello, "    exit: 3", "    exit: 3\n    varies: [refusing]")
	_, err = recording(t, root, "1", true)
	require.NoError(t, err)
}

func TestARunWaitsForWhatAServerPrints(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Edit(t, root, "steps/02-serve/main.go", "\tfor {", "\tgo func() { time.Sleep(time.Second); fmt.Println(\"swapped\") }()\n\tfor {")
	coursetest.Edit(t, root, "steps/02-serve/main.go", `"path/filepath"`, "\"path/filepath\"\n\"time\"")
	coursetest.Edit(t, root, serve, "  - id: ask\n", "  - id: ask\n    once: swapped\n")
	_, err := recording(t, root, "2", false)
	require.NoError(t, err)
	server, _ := reference(t, root, "2").Run("serve")
	require.Contains(t, server.Output, "swapped\nasked\n")

	coursetest.Edit(t, root, serve, "once: swapped", "once: nothing")
	_, err = recordingWithin(t, root, "2", false, 3*time.Second)
	require.ErrorContains(t, err, `run ask: no server printed "nothing"`)
}

func TestAStepThatIsNotRecordedFailsTheCheck(t *testing.T) {
	_, err := recording(t, coursetest.Checkout(t), "1", true)
	require.ErrorContains(t, err, "is not recorded yet; record it with: make reference STEP=1")
}
