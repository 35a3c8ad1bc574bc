package load

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes a goroutine at a given instant, to some 50 µs. Go's own timers round to a millisecond on Linux where
// the process is otherwise idle. That would send an open loop's requests late and in bursts, and would look at the
// number in flight at just the moments when the bursts start. The kernel's timer files have no such grain.
type alarm struct {
	file *os.File
	fd   int // of file; asking the file for it would make its reads block
}

func newAlarm() (*alarm, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create a timer: %w", err)
	}
	return &alarm{file: os.NewFile(uintptr(fd), "timer"), fd: fd}, nil
}

// wait returns when wait has passed or ctx has ended, and says whether ctx still stands.
func (a *alarm) wait(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	setting := unix.ItimerSpec{Value: unix.NsecToTimespec(wait.Nanoseconds())}
	if err := unix.TimerfdSettime(a.fd, 0, &setting, nil); err != nil {
		return false
	}
	stop := context.AfterFunc(ctx, func() { _ = a.file.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var expirations [8]byte
	_, err := a.file.Read(expirations[:])
	return err == nil
}

func (a *alarm) close() { _ = a.file.Close() }
