package load

import (
	"context"
	"net/url"
	"sync"
	"time"
)

// pauseAfterRefusal keeps workers whose server is gone from asking for it in a tight loop.
const pauseAfterRefusal = 10 * time.Millisecond

// Check looks at one good answer and returns an error when it is wrong; the request then counts as an error of the
// kind WrongAnswer. It is called from many goroutines, and body is valid only during the call.
type Check func(asin string, creatives []string, body []byte) error

// attack is the work of one process: its workers, each with a stream and a connection.
type attack struct {
	traffic  *Traffic
	check    Check // nil: answers are looked at, not verified
	workers  []*worker
	inFlight *inFlight
}

type worker struct {
	stream  *Stream
	lane    *lane
	alarm   *alarm
	request Request
	body    []byte
}

// newAttack gives each worker one of the targets; across all processes the targets take turns.
func newAttack(traffic *Traffic, targets []*url.URL, config Config, process int, check Check) (*attack, error) {
	a := &attack{traffic: traffic, check: check}
	var err error
	if a.inFlight, err = newInFlight(); err != nil {
		return nil, err
	}
	for i := range config.Concurrency {
		wakes, err := newAlarm()
		if err != nil {
			a.close()
			return nil, err
		}
		target := targets[(process*config.Concurrency+i)%len(targets)]
		a.workers = append(a.workers, &worker{
			stream: traffic.Stream(process, i), lane: newLane(target, config.Timeout), alarm: wakes,
		})
	}
	return a, nil
}

// close releases what newAttack made. Nothing runs any more.
func (a *attack) close() {
	for _, w := range a.workers {
		w.lane.close()
		w.alarm.close()
	}
	a.inFlight.alarm.close()
}

// interrupt closes all connections for good. A worker that waits for an answer gets an error at once.
func (a *attack) interrupt() {
	for _, w := range a.workers {
		w.lane.interrupt()
	}
}

// connections returns how many connections were opened.
func (a *attack) connections() int64 {
	opened := int64(0)
	for _, w := range a.workers {
		opened += w.lane.opened
	}
	return opened
}

// warm makes each worker connect and send its share of requests, and records nothing. A worker whose request fails
// stops warming up: a server in trouble is for the measured phase to report.
func (a *attack) warm(ctx context.Context, share int) {
	a.each(func(w *worker) {
		if w.lane.open() != nil {
			return
		}
		for i := 0; i < share && ctx.Err() == nil; i++ {
			if _, failed := a.ask(w); failed != nil {
				return
			}
		}
	})
}

// sink is given what became of each request. Its method is called from many goroutines.
type sink interface {
	record(at timing, got answer, failed *failure)
}

// measure sends requests as the pacer says and records them, until the pacer has no more or ctx is cancelled. origin
// is the start of the phase. It returns when the last answer is in.
func (a *attack) measure(ctx context.Context, origin time.Time, pace pacer, into sink) {
	a.each(func(w *worker) {
		for {
			var at timing
			var more bool
			now := time.Since(origin)
			if at.intended, more = pace.next(now); !more || !w.alarm.wait(ctx, at.intended-now) {
				return
			}
			a.inFlight.now.Add(1)
			at.started = time.Since(origin)
			got, failed := a.ask(w)
			at.finished = time.Since(origin)
			a.inFlight.now.Add(-1)
			if at.intended == now {
				at.intended = at.started // a closed loop means to start when it does
			}
			if failed == nil && a.check != nil {
				failed = a.verify(w, got)
			}
			into.record(at, got, failed)
			if failed != nil && failed.kind == kindRefused && !w.alarm.wait(ctx, pauseAfterRefusal) {
				return
			}
		}
	})
}

func (a *attack) ask(w *worker) (answer, *failure) {
	w.stream.Next(&w.request)
	w.body = a.traffic.AppendBody(w.body[:0], &w.request)
	return w.lane.send(w.body)
}

func (a *attack) verify(w *worker, got answer) *failure {
	asin, creatives := a.traffic.Names(&w.request)
	if err := a.check(asin, creatives, got.body); err != nil {
		return &failure{kind: WrongAnswer, detail: err}
	}
	return nil
}

// each runs work for all workers at once and waits for them.
func (a *attack) each(work func(*worker)) {
	var running sync.WaitGroup
	for _, w := range a.workers {
		running.Go(func() { work(w) })
	}
	running.Wait()
}
