package load

import (
	"fmt"
	"syscall"
	"time"
)

// cpuTime returns the CPU time that this process has used so far, in user code and in the kernel.
func cpuTime() (time.Duration, error) {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read this process's CPU time: %w", err)
	}
	return elapsed(kernel) + elapsed(user), nil
}

// elapsed reads a span of time, which Windows counts in steps of 100 ns.
func elapsed(span syscall.Filetime) time.Duration {
	return time.Duration(int64(span.HighDateTime)<<32|int64(span.LowDateTime)) * 100
}
