package lab_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/record"
)

// harness is the program of an experiment's step, in a process that a test can end.
func harness() proc.Role {
	return proc.Role{Name: "harness", Run: func(context.Context, []string) error {
		noFilter.Main() // exits
		return nil
	}}
}

// begin starts the program with a small load of so many seconds.
func begin(t *testing.T, seconds string, stdout, stderr io.Writer) (*proc.Process, *process.Process) {
	t.Helper()
	size := []string{"--seconds", seconds, "--processes", "1", "--concurrency", "8", "--warmup", "2000"}
	running, err := proc.Start("harness", size, nil, stdout, stderr)
	require.NoError(t, err)
	t.Cleanup(running.Stop)
	seen, err := process.NewProcess(int32(running.PID()))
	require.NoError(t, err)
	return running, seen
}

// children waits for the API, and the process that loads it.
func children(t *testing.T, of *process.Process) (both []*process.Process) {
	t.Helper()
	require.Eventually(t, func() (ok bool) {
		var err error
		both, err = of.Children()
		return err == nil && len(both) == 2
	}, time.Minute, 10*time.Millisecond)
	return both
}

// gone tells that the process runs no more; one that ended and was not yet reaped by the system counts as gone.
func gone(one *process.Process) bool {
	status, err := one.Status()
	return err != nil || len(status) == 0 || status[0] == process.Zombie
}

func TestAKilledExperimentLeavesNoServerBehind(t *testing.T) {
	stage(t)
	running, seen := begin(t, "60", io.Discard, io.Discard)
	both := children(t, seen)
	ports := map[uint32]bool{}
	require.Eventually(t, func() bool {
		for _, child := range both {
			connections, err := child.Connections()
			for _, one := range connections {
				if err == nil && one.Status == "LISTEN" {
					ports[one.Laddr.Port] = true
				}
			}
		}
		return len(ports) > 0
	}, 20*time.Second, 10*time.Millisecond)

	require.NoError(t, seen.Kill())
	require.Eventually(t, func() bool {
		for port := range ports {
			if connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
				_ = connection.Close()
				return false
			}
		}
		return gone(both[0]) && gone(both[1])
	}, 2*time.Second, 10*time.Millisecond)
	require.Error(t, running.Wait())
}

func TestCtrlCEndsAnExperimentAndAllThatItStarted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signal that one process sends another as Ctrl-C")
	}
	made, _ := stage(t)
	var complaints bytes.Buffer
	running, seen := begin(t, "60", io.Discard, &complaints)
	both := children(t, seen)
	require.NoError(t, seen.SendSignal(syscall.SIGINT))
	var ended *exec.ExitError
	require.ErrorAs(t, running.Wait(), &ended)
	require.Equal(t, 130, ended.ExitCode())
	require.True(t, strings.HasSuffix(complaints.String(), "interrupted\n"), complaints.String())
	require.True(t, gone(both[0]) && gone(both[1]))
	require.NoDirExists(t, made.Home.Results(), "what was not measured to its end is not recorded")
}

// cancelling ends a context as soon as a text is written to it.
type cancelling struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelling) Write(text []byte) (int, error) {
	if strings.Contains(string(text), c.text) {
		c.cancel()
	}
	return len(text), nil
}

func TestAnInterruptedExperimentStopsItsServerAndRecordsNothing(t *testing.T) {
	made, _ := stage(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	setup, _ := brief(30)
	setup.Say = cancelling{"serving version", cancel}
	_, err := noFilter.Measure(ctx, made, setup)
	require.ErrorIs(t, err, context.Canceled)
	self, err := process.NewProcess(int32(os.Getpid()))
	require.NoError(t, err)
	left, err := self.Children()
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoDirExists(t, made.Home.Results())
}

func TestFailedRequestsAreToldAndRecordedAndMakeNoBaseline(t *testing.T) {
	made, _ := stage(t)
	t.Setenv(answersVariable, "wrong")
	t.Setenv(lab.PredictVariable, "61")
	var out, complaints bytes.Buffer
	running, _ := begin(t, "0.2", &out, &complaints)
	var ended *exec.ExitError
	require.ErrorAs(t, running.Wait(), &ended)
	require.Equal(t, 1, ended.ExitCode())
	lines := strings.Split(strings.TrimSpace(complaints.String()), "\n")
	require.Regexp(t, `^baseline: \S+ of \S+ requests failed: wrong answer \S+; BLOOM=off: .*`, lines[len(lines)-1])
	require.Contains(t, out.String(), "recorded in results/step-07.json\n")
	recorded, err := record.Load(made.Home.Results(), noFilter.Step)
	require.NoError(t, err)
	require.Positive(t, recorded.Numbers["errors"])
	require.Positive(t, recorded.Numbers["baseline_errors"])
	require.Equal(t, 61.0, recorded.Prediction.Predicted)
	require.NoFileExists(t, record.Path(made.Home.Results(), "baseline"))
}
