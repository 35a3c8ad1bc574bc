package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// grace is how long a process may take to end after Ctrl-C.
const grace = 15 * time.Second

// process is a command that runs, with all that it starts, in a process group of its own.
type process struct {
	command *exec.Cmd
	printed transcript
	done    chan struct{} // closed when the command has ended and its output has been read
}

// start starts a command in dir. Standard output and error are one stream, as on a terminal; there is no input.
func start(dir string, environment, args []string) (*process, error) {
	p := &process{command: exec.Command(args[0], args[1:]...), done: make(chan struct{})}
	p.printed.grown = make(chan struct{}, 1)
	p.command.Dir, p.command.Env = dir, slices.Concat(environment, []string{"PWD=" + dir})
	p.command.Stdout, p.command.Stderr = &p.printed, &p.printed
	p.command.WaitDelay = grace // of pipes that a child left open
	ownGroup(p.command)
	if err := p.command.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("%s is not installed here; recording needs it", args[0])
		}
		return nil, err
	}
	go func() {
		defer close(p.done)
		_ = p.command.Wait() // how it ended is in ProcessState
	}()
	return p, nil
}

// finish waits for the command to end by itself and returns what it printed.
func (p *process) finish(ctx context.Context, limit time.Duration) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
		return p.printed.String(), nil
	case <-ctx.Done():
		_, err := p.stop()
		return "", errors.Join(ctx.Err(), err)
	case <-timer.C:
		printed, err := p.stop()
		return "", errors.Join(fmt.Errorf("did not end within %s; it printed:\n%s", limit, trimmed(printed)), err)
	}
}

// await waits for the line with the text, and returns what was printed up to its end.
func (p *process) await(ctx context.Context, text string, limit time.Duration) (string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		printed := p.printed.String()
		if at := strings.Index(printed, text); at >= 0 {
			if length := strings.IndexByte(printed[at:], '\n'); length >= 0 {
				return printed[:at+length+1], nil
			}
		}
		select {
		case <-p.printed.grown:
		case <-ctx.Done():
			return "", ctx.Err()
		case <-p.done:
			return "", fmt.Errorf("ended without printing %q; it printed:\n%s", text, trimmed(p.printed.String()))
		case <-timer.C:
			return "", fmt.Errorf("did not print %q within %s; it printed:\n%s", text, limit, trimmed(printed))
		}
	}
}

// stop interrupts the command as Ctrl-C does, waits for its end, and returns all that it printed. A command that has
// ended already ended too early or crashed; its exit status tells.
func (p *process) stop() (string, error) {
	select {
	case <-p.done:
		return p.printed.String(), nil
	default:
	}
	if err := interruptGroup(p.command); err != nil {
		killGroup(p.command)
		<-p.done
		return "", fmt.Errorf("interrupt: %w", err)
	}
	select {
	case <-p.done:
		return p.printed.String(), nil
	case <-time.After(grace):
		killGroup(p.command)
		<-p.done
		return "", fmt.Errorf("did not end within %s of Ctrl-C", grace)
	}
}

// exit is the exit status after the end.
func (p *process) exit() int { return p.command.ProcessState.ExitCode() }

// transcript collects output and tells when more has come.
type transcript struct {
	mutex sync.Mutex
	text  bytes.Buffer
	grown chan struct{}
}

func (t *transcript) Write(chunk []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text.Write(chunk)
	select {
	case t.grown <- struct{}{}:
	default:
	}
	return len(chunk), nil
}

func (t *transcript) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.text.String()
}
