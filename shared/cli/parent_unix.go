//go:build unix

package cli

import (
	"context"
	"os"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// lookForParent is how often the parent is looked for.
const lookForParent = 250 * time.Millisecond

// untilGoRunEnds returns a context that is also cancelled when the program was started by the go command and that has
// ended: a go run that is killed with signal 9 leaves the program that it runs behind, with all its servers. A program
// that a shell started goes on without it, as nohup means it to.
func untilGoRunEnds(ctx context.Context) context.Context {
	parent := os.Getppid()
	if !isGo(parent) {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		ticker := time.NewTicker(lookForParent)
		defer ticker.Stop()
		for os.Getppid() == parent {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	}()
	return ctx
}

func isGo(pid int) bool {
	running, err := process.NewProcess(int32(pid))
	if err != nil {
		return false
	}
	name, err := running.Name()
	return err == nil && name == "go"
}
