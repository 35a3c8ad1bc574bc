package service

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/world"
)

// held is a store that tells whether it was closed under a reader.
type held struct {
	closed atomic.Bool
	wrong  *atomic.Int64
}

func (h *held) Scores(_ context.Context, _ string, _ []string, into []world.Score) error {
	if h.closed.Load() {
		h.wrong.Add(1)
	}
	for i := range into {
		into[i] = 700
	}
	return nil
}

func (h *held) Close() error {
	h.closed.Store(true)
	return nil
}

func aVersion(scores *held) *Version {
	filter := bloom.New(4, bloom.FalsePositives)
	for _, creative := range []string{"cr-1", "cr-2", "cr-3", "cr-4"} {
		filter.Add("A", creative)
	}
	return &Version{Filter: filter, Scores: scores, Unpin: func() error { return nil }}
}

func TestASnapshotIsClosedAfterItsLastUserAndNeverBefore(t *testing.T) {
	var wrong atomic.Int64
	s := &Service{voice: &voice{out: t.Output()}}
	first := &held{wrong: &wrong}
	s.replace(newSnapshot(aVersion(first), 0))
	stores := []*held{first}
	var ended atomic.Bool
	var users sync.WaitGroup
	for range 4 {
		users.Go(func() {
			for into := make([]world.Score, 1); !ended.Load(); {
				snapshot := s.current.acquire()
				_ = snapshot.Scores.Scores(context.Background(), "A", nil, into)
				snapshot.release()
			}
		})
	}
	for range 2_000 {
		next := &held{wrong: &wrong}
		stores = append(stores, next)
		require.True(t, s.replace(newSnapshot(aVersion(next), 0)))
	}
	ended.Store(true)
	users.Wait()
	require.False(t, stores[len(stores)-1].closed.Load(), "the current one is not closed")
	s.replace(nil)
	s.retired.Wait()
	for _, store := range stores {
		require.True(t, store.closed.Load())
	}
	require.Zero(t, wrong.Load(), "reads from a closed store")
	require.Nil(t, s.current.acquire())
}

func TestAClosedSnapshotCannotBeAcquired(t *testing.T) {
	snapshot := newSnapshot(aVersion(&held{}), 0)
	require.True(t, snapshot.acquire())
	snapshot.release()
	snapshot.release()
	<-snapshot.unused
	require.False(t, snapshot.acquire())
}

// stage returns what a lookup needs, with all of its creatives either denied by the filter or in the cache.
func stage(tb testing.TB) (*current, *reader, *lookup) {
	tb.Helper()
	var place current
	place.swap(newSnapshot(aVersion(&held{wrong: &atomic.Int64{}}), DefaultCacheSize))
	reads := newReader(context.Background(), 10*time.Second, func(*read) {})
	tb.Cleanup(reads.stop)
	l := &lookup{}
	l.ask("A", []string{"cr-1", "cr-2", "nobody's", "somebody's", "cr-3"})
	ended := l.run(place.pointer.Load(), true, reads)
	require.EqualValues(tb, 3, ended.DBKeys)
	return &place, reads, l
}

func TestAcquireFilterAndCacheAllocateNothing(t *testing.T) {
	place, reads, l := stage(t)
	creatives := append([]string(nil), l.creatives...)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		snapshot := place.acquire()
		l.ask("A", creatives)
		ended := l.run(snapshot, true, reads)
		snapshot.release()
		if ended.BloomNo != 2 || ended.CacheHits != 3 {
			t.Fail()
		}
	}))
}

func TestABatchedReadAllocatesOnlyForWhatTheCacheKeeps(t *testing.T) {
	place, reads, l := stage(t)
	snapshot := place.pointer.Load()
	snapshot.cache = cache{}
	require.Zero(t, testing.AllocsPerRun(1000, func() { l.run(snapshot, true, reads) }))
}

// BenchmarkLookup is one request's five lookups, from the pointer to the scores.
func BenchmarkLookup(b *testing.B) {
	place, reads, l := stage(b)
	b.Run("filter and cache", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			snapshot := place.acquire()
			l.run(snapshot, true, reads)
			snapshot.release()
		}
	})
	b.Run("with a read that costs nothing", func(b *testing.B) {
		place.pointer.Load().cache = cache{}
		b.ReportAllocs()
		for b.Loop() {
			snapshot := place.acquire()
			l.run(snapshot, true, reads)
			snapshot.release()
		}
	})
}

// BenchmarkRead is what the time budget costs: the same read made by a worker, and by the caller.
func BenchmarkRead(b *testing.B) {
	place, reads, _ := stage(b)
	r := newRead()
	r.snapshot = place.pointer.Load()
	r.snapshot.cache, r.asin, r.creatives = cache{}, "A", []string{"cr-1", "cr-2"}
	b.Run("by a worker", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := reads.do(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by the caller", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := r.fetch(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
