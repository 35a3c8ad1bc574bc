// Package service is the relevance API: one product and some candidate creatives in, a score per creative out. A
// lookup goes through the version's Bloom filter, then a cache of hot keys, and what remains is read from the database
// in one batched read.
//
// It guarantees that an answer comes from one version, the one it names, also while versions are swapped under load;
// that a version is closed after its last reader and not before; that a database that is slow, fails or hangs costs a
// request its missing scores and at most the time budget, never an error (it fails open, and says "degraded"); and that
// lookups = bloom_no + cache_hits + db_keys + degraded_keys in every reading of its metrics. Bad input is answered with
// a JSON error that names the field.
//
// It does not authenticate anybody and does not encrypt: it is made to listen on 127.0.0.1, or behind a load balancer.
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"example.com/relevance-lab/shared/store"
)

// Service is the API without a listener; it is an http.Handler. Close it.
type Service struct {
	config   Config
	source   Source
	voice    *voice
	router   http.Handler
	current  current
	tally    *tally
	reads    *reader
	desks    sync.Pool // of *desk
	started  time.Time
	process  *process.Process
	draining atomic.Bool

	cancel   context.CancelFunc // ends the watcher and the reads
	watching chan struct{}      // closed when the watcher has ended
	retired  sync.WaitGroup     // replaced snapshots that are not closed yet
	closing  sync.Once
	closed   chan struct{} // closed when nothing of the service runs any more
}

// New loads the live version of source, if there is one, and watches for the next. What it has to say goes to out.
func New(config Config, source Source, out io.Writer) *Service {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Service{
		config: config, source: source, voice: &voice{out: out}, tally: newTally(),
		started: time.Now(), process: thisProcess(),
		cancel: cancel, watching: make(chan struct{}), closed: make(chan struct{}),
	}
	s.desks.New = func() any { return &desk{shard: s.tally.shard()} }
	s.reads = newReader(ctx, config.DBBudget, s.readFailed)
	s.router = newRouter(s)
	w := &watcher{service: s}
	w.look(ctx)
	go func() {
		defer close(s.watching)
		w.run(ctx)
	}()
	return s
}

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.router.ServeHTTP(w, r) }

// Drain makes /healthz answer 503, so that a load balancer sends its requests elsewhere. All else is still answered.
func (s *Service) Drain() { s.draining.Store(true) }

// Close ends the watcher, cancels the reads that still run, and closes the snapshot after its last user. Requests are
// answered with 503 from then on. It waits until ctx ends; the error says what had not ended by then, and another
// Close waits on.
func (s *Service) Close(ctx context.Context) error {
	s.closing.Do(func() {
		s.cancel()
		go s.close()
	})
	select {
	case <-s.closed:
		return nil
	case <-ctx.Done():
		return errors.New("a version is left open: a database read has not returned")
	}
}

func (s *Service) close() {
	defer close(s.closed)
	<-s.watching
	s.replace(nil)
	s.retired.Wait()
	s.reads.stop()
}

// serve puts a version in place of the current one.
func (s *Service) serve(version *Version) {
	version.Scores = store.Delayed(version.Scores, s.config.DBDelay)
	if s.replace(newSnapshot(version, s.config.CacheSize)) {
		s.tally.swaps.Add(1)
	}
}

// replace swaps the pointer and sees to it that the snapshot that was there is closed after its last user.
func (s *Service) replace(next *snapshot) (replaced bool) {
	previous := s.current.swap(next)
	if previous == nil {
		return false
	}
	s.retired.Go(func() {
		<-previous.unused
		if err := previous.Close(); err != nil {
			s.voice.say("%v", err)
		}
	})
	return true
}

func (s *Service) readFailed(read *read) {
	if errors.Is(read.err, context.Canceled) {
		return // the service is closing
	}
	s.tally.add(counts{Errors: 1})
	s.voice.complain("a database read failed, so answers are degraded: %v", fmt.Errorf("%s, %d keys: %w",
		read.asin, len(read.creatives), read.err))
}
