package load

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Samples of the number in flight are 1 to 5 ms apart. The distance is random, so that they cannot fall in step with
// anything that repeats.
const (
	leastSampleGap = time.Millisecond
	mostSampleGap  = 5 * time.Millisecond
)

// inFlight counts the requests that have been sent and not yet answered. It is sampled by a clock of its own and
// knows nothing of latencies: the sum of latencies divided by the time would be their average number by algebra, and
// comparing the two would check nothing.
type inFlight struct {
	now   atomic.Int64
	alarm *alarm
}

func newInFlight() (*inFlight, error) {
	wakes, err := newAlarm()
	if err != nil {
		return nil, err
	}
	return &inFlight{alarm: wakes}, nil
}

// samples are looks at the number in flight.
type samples struct {
	Count int64 `json:"count"`
	Sum   int64 `json:"sum"`
}

// mean returns the average number in flight, 0 without samples.
func (s samples) mean() float64 {
	if s.Count == 0 {
		return 0
	}
	return float64(s.Sum) / float64(s.Count)
}

// sample looks again and again until ctx is cancelled.
func (f *inFlight) sample(ctx context.Context) samples {
	var taken samples
	for f.alarm.wait(ctx, sampleGap()) {
		taken.Count++
		taken.Sum += f.now.Load()
	}
	return taken
}

func sampleGap() time.Duration { return leastSampleGap + rand.N(mostSampleGap-leastSampleGap) }
