//go:build !linux

package load

import (
	"context"
	"time"
)

// alarm wakes a goroutine at a given instant. Go's timers are fine enough on these systems: macOS has no grain to
// speak of, Windows about half a millisecond.
type alarm struct{ timer *time.Timer }

func newAlarm() (*alarm, error) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &alarm{timer: timer}, nil
}

// wait returns when wait has passed or ctx has ended, and says whether ctx still stands.
func (a *alarm) wait(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	a.timer.Reset(wait)
	select {
	case <-a.timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (a *alarm) close() { a.timer.Stop() }
