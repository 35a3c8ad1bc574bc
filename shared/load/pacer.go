package load

import (
	"sync/atomic"
	"time"
)

// A pacer says when the next request is meant to start. Times count from the start of the measured phase.
type pacer interface {
	// next claims one request. more is false when none is left to start.
	next(now time.Duration) (intended time.Duration, more bool)
}

// closedLoop starts a worker's next request as soon as its last one is answered, as long as the phase lasts. A slow
// server slows the generator down, and the number in flight stays what was asked for.
type closedLoop struct{ length time.Duration }

func (p closedLoop) next(now time.Duration) (time.Duration, bool) { return now, now < p.length }

// openLoop starts requests on a schedule that knows nothing of the server. The processes take turns, so that the
// whole schedule is even.
type openLoop struct {
	rate      float64 // requests per second of all processes together
	processes int
	process   int
	length    time.Duration
	claimed   atomic.Int64
}

func (p *openLoop) next(now time.Duration) (time.Duration, bool) {
	if now >= p.length {
		return 0, false
	}
	intended := p.at(p.claimed.Add(1) - 1)
	return intended, intended < p.length
}

// at returns the intended start of this process's k-th request.
func (p *openLoop) at(k int64) time.Duration {
	return time.Duration(float64(k*int64(p.processes)+int64(p.process)) / p.rate * float64(time.Second))
}

// scheduled returns how many requests the schedule of this process holds.
func (p *openLoop) scheduled() int64 {
	slots := int64(p.length.Seconds() * p.rate / float64(p.processes))
	for ; p.at(slots) < p.length; slots++ {
	}
	for ; slots > 0 && p.at(slots-1) >= p.length; slots-- {
	}
	return slots
}
