package proc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/relevance-lab/shared/proc"
	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	proc.Dispatch(
		proc.Role{Name: "echo", Run: func(_ context.Context, args []string) error {
			fmt.Println(strings.Join(args, " "), os.Getenv("EXTRA"))
			return nil
		}},
		proc.Role{Name: "fail", Run: func(context.Context, []string) error { return errors.New("out of luck") }},
		proc.Role{Name: "patient", Run: func(ctx context.Context, _ []string) error {
			fmt.Println(os.Getpid())
			<-ctx.Done()
			return nil
		}},
		proc.Role{Name: "stubborn", Run: func(context.Context, []string) error {
			fmt.Println(os.Getpid())
			select {}
		}},
		proc.Role{Name: "parent", Run: func(_ context.Context, args []string) error {
			if _, err := proc.Start(args[0], nil, nil, os.Stdout, os.Stderr); err != nil {
				return err
			}
			select {}
		}},
	)
	os.Exit(m.Run())
}

func TestAChildGetsItsRoleArgumentsAndEnvironment(t *testing.T) {
	var out strings.Builder
	child, err := proc.Start("echo", []string{"one", "two"}, []string{"EXTRA=three"}, &out, os.Stderr)
	require.NoError(t, err)
	require.NoError(t, child.Wait())
	require.Equal(t, "one two three\n", out.String())
}

func TestAFailingChildReportsItself(t *testing.T) {
	for role, line := range map[string]string{"fail": "out of luck\n", "nobody": "this program has no role \"nobody\"\n"} {
		t.Run(role, func(t *testing.T) {
			var stderr strings.Builder
			child, err := proc.Start(role, nil, nil, io.Discard, &stderr)
			require.NoError(t, err)
			var exit *exec.ExitError
			require.ErrorAs(t, child.Wait(), &exit)
			require.Equal(t, 1, exit.ExitCode())
			require.Equal(t, line, stderr.String())
		})
	}
}

func TestAStoppedChildIsGoneEvenWhenItDoesNotListen(t *testing.T) {
	for _, role := range []string{"patient", "stubborn"} {
		t.Run(role, func(t *testing.T) {
			child, err := proc.Start(role, nil, nil, io.Discard, os.Stderr)
			require.NoError(t, err)
			child.Stop()
			require.True(t, gone(child.PID()))
		})
	}
}

func TestAChildDoesNotOutliveAKilledParent(t *testing.T) {
	for _, role := range []string{"patient", "stubborn"} {
		t.Run(role, func(t *testing.T) {
			read, write := io.Pipe()
			parent, err := proc.Start("parent", []string{role}, nil, write, os.Stderr)
			require.NoError(t, err)
			line, err := bufio.NewReader(read).ReadString('\n')
			require.NoError(t, err)
			grandchild, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err)

			killed, err := os.FindProcess(parent.PID())
			require.NoError(t, err)
			require.NoError(t, killed.Kill())
			require.Eventually(t, func() bool { return gone(grandchild) }, 2*time.Second, 10*time.Millisecond)
			_ = read.Close()
		})
	}
}

// gone tells that no process of that number runs; one that ended and was not yet reaped by the system counts as gone.
func gone(pid int) bool {
	running, err := process.NewProcess(int32(pid))
	if err != nil {
		return true
	}
	status, err := running.Status()
	return err != nil || len(status) == 0 || status[0] == process.Zombie
}
