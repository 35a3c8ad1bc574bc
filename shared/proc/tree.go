package proc

import (
	"context"
	"os/exec"
	"time"
)

// treeGrace is how long the processes of a tree may take to end when they are interrupted. It is much shorter than the
// grace of a child whose parent is gone, so that such a child can end a tree of its own in time, on a busy machine too.
const treeGrace = 300 * time.Millisecond

// RunTree runs a command that starts processes of its own, such as go test, and waits for its end. When ctx ends, all
// of them are interrupted as by Ctrl-C, what is left 0.3 seconds later is killed, and the error is that of ctx. They
// form a process group of their own, which Ctrl-C on the terminal does not reach.
func RunTree(ctx context.Context, command *exec.Cmd) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ownGroup(command)
	command.WaitDelay = treeGrace // of pipes that one of the processes left open
	if err := command.Start(); err != nil {
		return err
	}
	var err error
	ended := make(chan struct{})
	go func() {
		err = command.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
	}
	_ = interruptGroup(command) // which may have ended just now
	select {
	case <-ended:
		killGroup(command) // what outlived it
	case <-time.After(treeGrace):
		killGroup(command)
		<-ended
	}
	return ctx.Err()
}
