package store

import (
	"context"
	"time"

	"example.com/relevance-lab/shared/world"
)

// Delayed returns a reader that waits for delay before each batched read, as a database across a network would.
// A delay of zero returns reader itself.
func Delayed(reader Reader, delay time.Duration) Reader {
	if delay <= 0 {
		return reader
	}
	return delayed{Reader: reader, delay: delay}
}

type delayed struct {
	Reader
	delay time.Duration
}

func (d delayed) Scores(ctx context.Context, asin string, creatives []string, into []world.Score) error {
	timer := time.NewTimer(d.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return d.Reader.Scores(ctx, asin, creatives, into)
	case <-ctx.Done():
		return ctx.Err()
	}
}
