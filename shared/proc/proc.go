// Package proc lets one program be several processes: it starts its own executable again in a named role, such as
// the API or a load-generating worker. Nothing else has to be built or found, and each process has memory, a
// garbage collector and a CPU bill of its own.
//
// A child never outlives its parent: it holds the read end of a pipe, and when the parent ends, however it ends, the
// pipe closes, the child's context is cancelled, and a child that is still there a second later exits.
package proc

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"example.com/relevance-lab/shared/cli"
)

const (
	roleVariable = "LAB_ROLE"
	grace        = time.Second
)

// Role is one thing a program can be. Run gets the arguments that Start was given and works until it is done or ctx
// is cancelled.
type Role struct {
	Name string
	Run  func(ctx context.Context, args []string) error
}

// Dispatch makes this process play the role it was started in, and exits. In a process that was started by a person
// it returns at once. Call it first in main, and in TestMain of a test that starts processes.
func Dispatch(roles ...Role) {
	name, started := os.LookupEnv(roleVariable)
	if !started {
		return
	}
	os.Unsetenv(roleVariable)
	for _, role := range roles {
		if role.Name == name {
			os.Exit(cli.Report(role.Run(untilOrphaned(), os.Args[1:]), os.Stderr))
		}
	}
	fmt.Fprintf(os.Stderr, "this program has no role %q\n", name)
	os.Exit(cli.ExitFailure)
}

// untilOrphaned returns a context that is cancelled on a signal to stop or when the parent is gone.
func untilOrphaned() context.Context {
	// Ctrl-C is for the parent, which decides what it means, and closes the pipe. It does not reach this process group; a
	// signal sent to this process alone means no more.
	signal.Ignore(os.Interrupt)
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
		time.Sleep(grace)
		os.Exit(cli.ExitInterrupted)
	}()
	return ctx
}

// Process is a running child.
type Process struct {
	command *exec.Cmd
	leash   io.Closer
	done    chan struct{}
	err     error
}

// Start runs this executable in the named role. Environment entries (NAME=value) are added to this process's own.
func Start(role string, args, environment []string, stdout, stderr io.Writer) (*Process, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	command := exec.Command(executable, args...)
	command.Env = append(append(os.Environ(), environment...), roleVariable+"="+role)
	command.Stdout, command.Stderr = stdout, stderr
	ownGroup(command)         // or a Ctrl-C before it plays its role would end it, and look like a failure
	command.WaitDelay = grace // of output that a process which outlives the child keeps open
	leash, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	child := &Process{command: command, leash: leash, done: make(chan struct{})}
	go func() {
		child.err = command.Wait()
		close(child.done)
	}()
	return child, nil
}

// PID is the operating system's number for the process.
func (p *Process) PID() int { return p.command.Process.Pid }

// Done is closed when the process has ended and its output has been read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the process to end by itself and returns how it ended.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Stop asks the process to finish and returns when it is gone, which takes at most about a second.
func (p *Process) Stop() {
	_ = p.leash.Close()
	select {
	case <-p.done:
	case <-time.After(2 * grace):
		_ = p.command.Process.Kill()
		<-p.done
	}
}
