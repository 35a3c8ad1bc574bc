package service

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"example.com/relevance-lab/shared/world"
)

// maxReads is the number of batched reads that may be under way at once. A database that hangs can hold so many
// goroutines and no more.
const maxReads = 256

var errBudget = errors.New("the time budget is spent")

// reader makes batched reads with a time budget. A read is made by a worker and not by its request, so that a database
// that hangs holds the worker. Workers come into being as they are needed and stay: a new goroutine for each read would
// have to grow its stack every time. Measured: the hand-over and the timer cost 1 µs, and a new goroutine's stack as
// much again; the read itself costs 5 to 7.
type reader struct {
	ctx     context.Context // of the service; a read is not cancelled by the end of its request
	budget  time.Duration
	failed  func(*read) // told of each read that ended with an error
	queue   chan *read  // to an idle worker; nil ends it
	workers atomic.Int64
}

func newReader(ctx context.Context, budget time.Duration, failed func(*read)) *reader {
	return &reader{ctx: ctx, budget: budget, failed: failed, queue: make(chan *read)}
}

// read is one batched read. It owns its memory: when its request has gone without it, it may still write there.
type read struct {
	snapshot  *snapshot
	asin      string
	creatives []string
	scores    []world.Score
	err       error
	done      chan struct{} // receives one value, from a worker that never waits for its being taken
	timer     *time.Timer
}

// newRead returns a read without creatives, which may be done again and again, one after the other.
func newRead() *read {
	idle := time.NewTimer(time.Hour)
	idle.Stop()
	return &read{done: make(chan struct{}, 1), timer: idle}
}

// forget drops what the read holds for its request and keeps the memory around it.
func (read *read) forget() {
	clear(read.creatives)
	read.snapshot, read.asin, read.creatives, read.err = nil, "", read.creatives[:0], nil
}

// do makes the read and waits for it, but not longer than the budget; waiting for a worker is part of it. began says
// whether the database was asked. After an errBudget the read may still be under way and belongs to its worker alone.
func (r *reader) do(read *read) (began bool, err error) {
	read.timer.Reset(r.budget)
	defer read.timer.Stop()
	read.snapshot.acquire() // the caller is a user, so this cannot fail
	if !r.hand(read) {
		read.snapshot.release()
		return false, errBudget
	}
	select {
	case <-read.done:
		return true, read.err
	case <-read.timer.C:
		return true, errBudget
	}
}

// hand gives the read to a worker: an idle one, a new one, or the first that becomes idle within the budget.
func (r *reader) hand(read *read) bool {
	select {
	case r.queue <- read:
		return true
	default:
	}
	if r.workers.Add(1) <= maxReads {
		go r.work(read)
		return true
	}
	r.workers.Add(-1)
	select {
	case r.queue <- read:
		return true
	case <-read.timer.C:
		return false
	}
}

func (r *reader) work(read *read) {
	for ; read != nil; read = <-r.queue {
		read.perform(r)
	}
}

// stop ends all workers. It waits for those that are at work; no read may be asked for any more.
func (r *reader) stop() {
	for range r.workers.Load() {
		r.queue <- nil
	}
}

// perform fills the cache of the read's own snapshot, also when nobody waits for the read any more.
func (read *read) perform(r *reader) {
	read.err = read.fetch(r.ctx)
	if read.err != nil {
		r.failed(read)
	}
	read.snapshot.release()
	read.done <- struct{}{}
}

func (read *read) fetch(ctx context.Context) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	read.scores = append(read.scores[:0], make([]world.Score, len(read.creatives))...)
	if err := read.snapshot.Scores.Scores(ctx, read.asin, read.creatives, read.scores); err != nil {
		return err
	}
	read.snapshot.cache.put(read.asin, read.creatives, read.scores)
	return nil
}
