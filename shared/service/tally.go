package service

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// counts says what happened, to one request or to all of them. A lookup is counted when it ends and by where it ended,
// so that the number of lookups is a sum and cannot differ from it.
type counts struct {
	Requests     uint64 // answered with scores
	Rejected     uint64 // answered with an error instead: a bad request, or no version to answer from
	BloomNo      uint64 // lookups that the filter ended
	CacheHits    uint64 // lookups that the cache ended
	DBReads      uint64 // batched reads that were begun, at most one a request
	DBKeys       uint64 // lookups that a batched read ended
	DBWaited     uint64 // requests whose own time at the database reached the delay that is set there
	Degraded     uint64 // requests answered without their batched read
	DegradedKeys uint64 // lookups that nothing ended
	Errors       uint64 // batched reads that failed, and requests that ended in a panic
}

// lookups is the number of distinct creatives that were looked up.
func (c counts) lookups() uint64 { return c.BloomNo + c.CacheHits + c.DBKeys + c.DegradedKeys }

func (c *counts) add(more counts) {
	c.Requests += more.Requests
	c.Rejected += more.Rejected
	c.BloomNo += more.BloomNo
	c.CacheHits += more.CacheHits
	c.DBReads += more.DBReads
	c.DBKeys += more.DBKeys
	c.DBWaited += more.DBWaited
	c.Degraded += more.Degraded
	c.DegradedKeys += more.DegradedKeys
	c.Errors += more.Errors
}

// Latencies are recorded in nanoseconds, up to a minute, to three significant digits.
const (
	longestLatency    = time.Minute
	significantDigits = 3
)

// tally counts all requests. A request is counted in one go, so a reading never sees half of one. The counts are
// spread over shards, each with a lock that is seldom contended.
type tally struct {
	shards   []*shard
	next     atomic.Uint32
	inFlight atomic.Int64
	swaps    atomic.Uint64
	failed   atomic.Uint64 // swaps that could not be made
}

type shard struct {
	mutex   sync.Mutex
	counts  counts
	latency *hdrhistogram.Histogram
	dbTime  *hdrhistogram.Histogram // of the requests that asked the database
}

func newTally() *tally {
	t := &tally{}
	for range runtime.GOMAXPROCS(0) {
		t.shards = append(t.shards, &shard{latency: newHistogram(), dbTime: newHistogram()})
	}
	return t
}

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(longestLatency), significantDigits)
}

// shard returns the shards in turn.
func (t *tally) shard() *shard { return t.shards[int(t.next.Add(1))%len(t.shards)] }

// answered counts one request that was answered with scores, after latency, of which dbTime was spent at the database;
// zero where it was not asked.
func (s *shard) answered(request counts, latency, dbTime time.Duration) {
	request.Requests = 1
	s.mutex.Lock()
	s.counts.add(request)
	recordIn(s.latency, latency)
	if dbTime > 0 {
		recordIn(s.dbTime, dbTime)
	}
	s.mutex.Unlock()
}

func recordIn(h *hdrhistogram.Histogram, took time.Duration) {
	_ = h.RecordValue(min(max(int64(took), 1), int64(longestLatency))) // within its bounds
}

// add counts what is not an answered request.
func (t *tally) add(more counts) {
	s := t.shards[0]
	s.mutex.Lock()
	s.counts.add(more)
	s.mutex.Unlock()
}

// read returns the counts, the latencies and the times at the database since the last reset.
func (t *tally) read() (all counts, latency, dbTime *hdrhistogram.Histogram) {
	latency, dbTime = newHistogram(), newHistogram()
	for _, s := range t.shards {
		s.mutex.Lock()
		all.add(s.counts)
		latency.Merge(s.latency)
		dbTime.Merge(s.dbTime)
		s.mutex.Unlock()
	}
	return all, latency, dbTime
}

// reset sets all counts to zero. Requests in flight are counted afterwards, whole.
func (t *tally) reset() {
	for _, s := range t.shards {
		s.mutex.Lock()
		s.counts = counts{}
		s.latency.Reset()
		s.dbTime.Reset()
		s.mutex.Unlock()
	}
	t.swaps.Store(0)
	t.failed.Store(0)
}
