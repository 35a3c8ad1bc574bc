package load

import (
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are recorded in microseconds with three significant digits, up to longestMicros; what takes longer counts
// as that long.
const (
	longestMicros     = int64(10 * time.Minute / time.Microsecond)
	significantDigits = 3
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longestMicros, significantDigits)
}

func recordIn(histogram *hdrhistogram.Histogram, latency time.Duration) {
	// The value is within the histogram's range, so recording cannot fail.
	_ = histogram.RecordValue(min(max(latency.Microseconds(), 1), longestMicros))
}

// decode reads a histogram that a worker sent.
func decode(encoded []byte) (*hdrhistogram.Histogram, error) {
	histogram, err := hdrhistogram.Decode(encoded)
	if err != nil {
		return nil, fmt.Errorf("read a worker's histogram: %w", err)
	}
	return histogram, nil
}

func encode(histogram *hdrhistogram.Histogram) ([]byte, error) {
	return histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
}

// timing is when one request was meant to start, when it started, and when it was answered, counted from the start of
// the measured phase. In a closed loop the first two are the same.
type timing struct{ intended, started, finished time.Duration }

// recorder keeps what the workers of one process saw. Failed requests are counted and kept out of latency: a
// connection that is refused at once would make a broken server look fast.
type recorder struct {
	mu       sync.Mutex
	current  *openSecond
	ended    []*openSecond
	spare    *openSecond // one that was sent, to be used again
	versions map[string]*int64
	total    totals
	actual   *hdrhistogram.Histogram // of the whole phase, from the actual start
}

// openSecond is what one second of the phase held.
type openSecond struct {
	number    int // 0 is the first
	ok        int64
	errors    int64
	histogram *hdrhistogram.Histogram // from the intended start
}

// totals are the sums over the phase.
type totals struct {
	OK       int64            `json:"ok"`
	Errors   map[string]tally `json:"errors,omitempty"` // by kind
	Degraded int64            `json:"degraded"`
	Versions map[string]int64 `json:"versions"` // how many answers named each version
	// Latency is the sum from the intended start over good answers, Actual from the actual start. Busy is the sum
	// from the actual start over all requests, failed ones too: the time that Little's law speaks of.
	Latency time.Duration `json:"latency_ns"`
	Actual  time.Duration `json:"actual_ns"`
	Busy    time.Duration `json:"busy_ns"`
	Longest time.Duration `json:"longest_ns"` // of the same times, the longest one
}

// tally counts errors of one kind and shows the first.
type tally struct {
	Count   int64  `json:"count"`
	Example string `json:"example"`
}

func newRecorder() *recorder {
	return &recorder{
		current:  &openSecond{histogram: newHistogram()},
		versions: map[string]*int64{},
		total:    totals{Errors: map[string]tally{}},
		actual:   newHistogram(),
	}
}

func (r *recorder) record(at timing, got answer, failed *failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moveTo(int(at.finished / time.Second))
	r.total.Busy += at.finished - at.started
	r.total.Longest = max(r.total.Longest, at.finished-at.started)
	if failed != nil {
		r.current.errors++
		r.total.Errors[failed.kind] = r.total.Errors[failed.kind].plus(tally{Count: 1, Example: failed.detail.Error()})
		return
	}
	r.current.ok++
	r.total.OK++
	r.total.Latency += at.finished - at.intended
	r.total.Actual += at.finished - at.started
	recordIn(r.current.histogram, at.finished-at.intended)
	recordIn(r.actual, at.finished-at.started)
	if got.degraded {
		r.total.Degraded++
	}
	r.count(got.version)
}

func (t tally) plus(more tally) tally {
	if t.Count == 0 {
		t.Example = more.Example
	}
	t.Count += more.Count
	return t
}

func (r *recorder) count(version []byte) {
	seen, found := r.versions[string(version)] // no allocation: the compiler knows this form
	if !found {
		seen = new(int64)
		r.versions[string(version)] = seen
	}
	*seen++
}

// moveTo ends the current second when number is a later one. A request that took its time just before the second
// ended and its turn just after counts in the later one.
func (r *recorder) moveTo(number int) {
	if number <= r.current.number {
		return
	}
	r.ended = append(r.ended, r.current)
	r.current, r.spare = r.spare, nil
	if r.current == nil {
		r.current = &openSecond{histogram: newHistogram()}
	}
	r.current.number = number
}

// take returns the seconds that have ended by now. give returns one of them for another use.
func (r *recorder) take(now time.Duration) []*openSecond {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moveTo(int(now / time.Second))
	ended := r.ended
	r.ended = nil
	return ended
}

func (r *recorder) give(second *openSecond) {
	second.ok, second.errors = 0, 0
	second.histogram.Reset()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spare = second
}

// finish returns the totals and the histogram from the actual start. Nothing is recorded after it.
func (r *recorder) finish() (totals, *hdrhistogram.Histogram) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.Versions = make(map[string]int64, len(r.versions))
	for version, seen := range r.versions {
		r.total.Versions[version] = *seen
	}
	return r.total, r.actual
}
