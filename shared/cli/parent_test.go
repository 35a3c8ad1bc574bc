//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"
)

// program waits until it is told to end, and prints its own number first.
const program = `package main

import (
	"context"
	"fmt"
	"os"

	"example.com/relevance-lab/shared/cli"
)

func main() {
	cli.Main(func(ctx context.Context) error {
		fmt.Println(os.Getpid())
		<-ctx.Done()
		return ctx.Err()
	})
}
`

func TestAProgramEndsWithTheGoRunThatStartedIt(t *testing.T) {
	started, pid := run(t, "go", "run")
	require.NoError(t, started.Process.Kill())
	_ = started.Wait()
	require.Eventually(t, func() bool { return gone(pid) }, 2*time.Second, 10*time.Millisecond)
}

func TestAProgramThatAShellStartedGoesOnWithoutIt(t *testing.T) {
	built := filepath.Join(t.TempDir(), "program")
	source := write(t)
	output, err := exec.Command("go", "build", "-o", built, source).CombinedOutput()
	require.NoError(t, err, string(output))
	started, pid := run(t, "sh", "-c", built+" & wait")
	t.Cleanup(func() {
		if running, err := process.NewProcess(int32(pid)); err == nil {
			_ = running.Kill()
		}
	})
	require.NoError(t, started.Process.Kill())
	_ = started.Wait()
	require.Never(t, func() bool { return gone(pid) }, 600*time.Millisecond, 50*time.Millisecond)
}

// write puts the program into a file. The go command finds its imports through the folder that it is started in.
func write(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(path, []byte(program), 0o600))
	return path
}

// run starts a command that starts the program, and returns when the program runs.
func run(t *testing.T, name string, args ...string) (*exec.Cmd, int) {
	t.Helper()
	if name == "go" {
		args = append(args, write(t))
	}
	command := exec.Command(name, args...)
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err, fmt.Sprint("printed ", line))
	return command, pid
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
