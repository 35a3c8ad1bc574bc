//go:build unix

package load

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime returns the CPU time that this process has used so far, in user code and in the kernel.
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
