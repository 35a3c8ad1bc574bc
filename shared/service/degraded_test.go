package service_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

const (
	patience = 10 * time.Second
	aMoment  = 5 * time.Millisecond
)

func TestADatabaseThatHangsCostsTheMissingScoresAndNoMoreThanTheBudget(t *testing.T) {
	resume := make(chan struct{})
	hangs := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		if asin == "A" {
			<-resume // and does not listen to its context
		}
		return found(ctx, asin, creatives, into)
	}
	config := service.Default()
	config.Bloom, config.DBBudget = false, 300*time.Millisecond // the read of B must not be late on a busy machine
	url := start(t, service.New(config, scripted{scores: database(hangs)}, io.Discard))
	began := time.Now()
	answer := ask(t, url, "A", "cr-1", "cr-2")
	require.GreaterOrEqual(t, time.Since(began), config.DBBudget)
	require.Less(t, time.Since(began), patience)
	require.True(t, answer.Degraded)
	require.Equal(t, map[string]float64{"cr-1": 0, "cr-2": 0}, answer.Scores, "what is known is answered")
	require.False(t, ask(t, url, "B", "cr-1").Degraded, "other reads go on")

	m := metrics(t, url)
	requireSum(t, m)
	require.EqualValues(t, 1, m.Degraded)
	require.EqualValues(t, 2, m.DegradedKeys)
	require.EqualValues(t, 2, m.DBReads)
	require.Zero(t, m.Errors, "slow is not wrong")

	close(resume)
	require.Eventually(t, func() bool { return !ask(t, url, "A", "cr-1", "cr-2").Degraded }, patience, aMoment)
	require.Positive(t, metrics(t, url).CacheHits, "the late read filled the cache")
}

func TestWhatTheFilterAndTheCacheKnowIsAnsweredWhileTheDatabaseHangs(t *testing.T) {
	var hanging atomic.Bool
	resume := make(chan struct{})
	scores := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		if hanging.Load() {
			select {
			case <-resume:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return found(ctx, asin, creatives, into)
	}
	config := service.Default()
	config.DBBudget = 20 * time.Millisecond
	api := service.New(config, scripted{scores: database(scores), keys: everything()}, io.Discard)
	url := start(t, api)
	require.Eventually(t, func() bool { return !ask(t, url, "A", "cr-1").Degraded }, patience, aMoment)
	hanging.Store(true)
	answer := ask(t, url, "A", "cr-1", "cr-2", "nobody's")
	require.True(t, answer.Degraded)
	require.Equal(t, map[string]float64{"cr-1": want("cr-1"), "cr-2": 0, "nobody's": 0}, answer.Scores)
	require.False(t, ask(t, url, "A", "cr-1", "nobody's").Degraded, "without a read there is nothing to wait for")
}

func TestReadsThatHangAreBoundedAndWaitingForAPlaceIsPartOfTheBudget(t *testing.T) {
	const places = 256
	resume := make(chan struct{})
	var under atomic.Int64
	hangs := func(context.Context, string, []string, []world.Score) error {
		under.Add(1)
		<-resume
		return nil
	}
	config := service.Default()
	config.Bloom, config.DBBudget = false, 20*time.Millisecond
	url := start(t, service.New(config, scripted{scores: database(hangs)}, io.Discard))
	var lanes sync.WaitGroup
	for range 20 {
		lanes.Go(func() {
			for range 20 {
				require.True(t, ask(t, url, "A", "cr-1").Degraded)
			}
		})
	}
	lanes.Wait()
	require.EqualValues(t, places, under.Load(), "400 requests, no more than 256 reads")
	m := metrics(t, url)
	requireSum(t, m)
	require.EqualValues(t, 400, m.Degraded)
	require.EqualValues(t, places, m.DBReads, "a read that found no place was not begun")
	close(resume)
	require.Eventually(t, func() bool { return !ask(t, url, "A", "cr-1").Degraded }, patience, aMoment)
}

func TestADatabaseThatFailsIsAnsweredWithoutItAndToldAtALimitedRate(t *testing.T) {
	fails := func(context.Context, string, []string, []world.Score) error { return errors.New("disk on fire") }
	config := service.Default()
	config.Bloom, config.DBBudget = false, patience
	var told lines
	url := start(t, service.New(config, scripted{scores: database(fails)}, &told))
	for range 50 {
		answer := ask(t, url, "A", "cr-1")
		require.True(t, answer.Degraded)
		require.Equal(t, map[string]float64{"cr-1": 0}, answer.Scores)
	}
	m := metrics(t, url)
	requireSum(t, m)
	require.EqualValues(t, 50, m.Errors)
	require.EqualValues(t, 50, m.Degraded)
	require.Positive(t, told.count("disk on fire"))
	require.Less(t, told.count("disk on fire"), 25, "not once a request")
}

func TestARequestKeepsItsAnswerWhenItsLateReadComesBack(t *testing.T) {
	// Late reads and the requests after them share nothing; the race detector watches this one.
	slow := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		time.Sleep(time.Millisecond)
		return found(ctx, asin, creatives, into)
	}
	config := service.Default()
	config.Bloom, config.CacheSize, config.DBBudget = false, 0, time.Millisecond
	url := start(t, service.New(config, scripted{scores: database(slow)}, io.Discard))
	var lanes sync.WaitGroup
	for range 4 {
		lanes.Go(func() {
			for range 100 {
				answer := ask(t, url, "A", names(7)...)
				for creative, score := range answer.Scores {
					if answer.Degraded {
						require.Zero(t, score)
					} else {
						require.Equal(t, want(creative), score)
					}
				}
			}
		})
	}
	lanes.Wait()
	m := metrics(t, url)
	requireSum(t, m)
	require.EqualValues(t, 400, m.Requests)
}

func TestARequestThatWaitsForTheDatabaseIsCountedByItsOwnTime(t *testing.T) {
	hangs := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		if creatives[0] == "cr-4" {
			<-ctx.Done()
			return ctx.Err()
		}
		return found(ctx, asin, creatives, into)
	}
	config := service.Default()
	config.DBDelay, config.DBBudget = 20*time.Millisecond, 400*time.Millisecond
	url := start(t, service.New(config, scripted{scores: database(hangs), keys: everything()}, io.Discard))
	ask(t, url, "A", "cr-1", "cr-2") // waits
	ask(t, url, "A", "cr-1")         // the cache knows it
	ask(t, url, "A", "nobody's")     // the filter knows it
	ask(t, url, "A", "cr-3")         // waits
	ask(t, url, "A", "cr-4")         // waits until its budget is spent

	m := metrics(t, url)
	require.EqualValues(t, 3, m.DBWaited)
	require.EqualValues(t, 3, m.DBTime.Count)
	require.GreaterOrEqual(t, m.DBTime.P50, 20.0)
	require.GreaterOrEqual(t, m.DBTime.Max, 400.0)
	require.EqualValues(t, 5, m.Requests)

	t.Run("without a delay none is counted, and the times are", func(t *testing.T) {
		url := start(t, service.New(service.Default(), scripted{scores: database(found), keys: everything()}, io.Discard))
		ask(t, url, "A", "cr-1")
		m := metrics(t, url)
		require.Zero(t, m.DBWaited)
		require.EqualValues(t, 1, m.DBTime.Count)
		require.Positive(t, m.DBTime.Max)
	})
}

func TestADelayIsAddedToEachRead(t *testing.T) {
	config := service.Default()
	config.Bloom, config.DBDelay = false, 20*time.Millisecond
	url := start(t, service.New(config, scripted{scores: database(found)}, io.Discard))
	require.Equal(t, want("cr-1"), ask(t, url, "A", "cr-1").Scores["cr-1"])
	m := metrics(t, url)
	require.GreaterOrEqual(t, m.Latency.Max, 20.0)
	require.EqualValues(t, 20, m.Config.DBDelayMillis)
}

func TestClosingDoesNotWaitForeverForADatabaseThatHangs(t *testing.T) {
	resume := make(chan struct{})
	hangs := func(context.Context, string, []string, []world.Score) error {
		<-resume
		return nil
	}
	config := service.Default()
	config.Bloom, config.DBBudget = false, time.Millisecond
	api := service.New(config, scripted{scores: database(hangs)}, io.Discard)
	url := start(t, api)
	ask(t, url, "A", "cr-1")
	limit, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, api.Close(limit), "a database read has not returned")
	status, text := get(t, url+"/healthz")
	require.Equal(t, 503, status, text)
	close(resume)
}
