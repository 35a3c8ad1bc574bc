package load

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/world"
)

// measured runs one process's work inside the test and returns its sums.
func measured(t *testing.T, s *bareServer, config Config, into sink, kept *recorder) sums {
	t.Helper()
	config.Processes, config.Timeout = 1, 5*time.Second
	a := attackOn(t, s, config)
	a.warm(t.Context(), 2)
	pace, scheduled := config.pacer(0)
	watching, enough := context.WithCancel(t.Context())
	var taken samples
	var watcher sync.WaitGroup
	watcher.Go(func() { taken = a.inFlight.sample(watching) })
	origin := time.Now()
	a.measure(t.Context(), origin, pace, into)
	elapsed := time.Since(origin)
	enough()
	watcher.Wait()
	total, _ := kept.finish()
	return sums{
		totals: total, elapsed: elapsed, scheduled: scheduled,
		inFlight: taken.mean() * elapsed.Seconds(), samples: taken.Count,
	}
}

// headerFirst sends the header at once and the body after a while.
func headerFirst(pause time.Duration) func(int64, http.ResponseWriter) {
	return func(_ int64, w http.ResponseWriter) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		time.Sleep(pause)
		_, _ = io.WriteString(w, goodAnswer)
	}
}

const bodyPause = 80 * time.Millisecond // far more than an answer takes on a busy machine

// untilHeader takes latency as some clients do: until the header is there, and not the whole answer.
type untilHeader struct{ *recorder }

func (r untilHeader) record(at timing, got answer, failed *failure) {
	at.finished -= bodyPause
	r.recorder.record(at, got, failed)
}

func TestLittlesLawHoldsWhenLatencyIsTakenRight(t *testing.T) {
	s := serve(t, headerFirst(bodyPause))
	kept := newRecorder()
	little := measured(t, s, Config{Duration: time.Second, Concurrency: 8}, kept, kept).little(8)
	assert.Greater(t, little.Samples, int64(50))
	assert.InDelta(t, 8, little.Sampled, 0.8)
	assert.InEpsilon(t, little.Sampled, little.InFlight, 0.05)
}

func TestLittlesLawDisagreesWhenLatencyIsTakenAtTheHeader(t *testing.T) {
	s := serve(t, headerFirst(bodyPause))
	kept := newRecorder()
	little := measured(t, s, Config{Duration: time.Second, Concurrency: 8}, untilHeader{kept}, kept).little(8)
	assert.InDelta(t, 8, little.Sampled, 0.8, "the samples know nothing of latency")
	assert.Less(t, little.InFlight, 0.5*little.Sampled, "rate × a latency that is too short gives too few in flight")
}

func TestLittlesLawHoldsInAnOpenLoopToo(t *testing.T) {
	s := serve(t, func(_ int64, w http.ResponseWriter) {
		time.Sleep(100 * time.Millisecond)
		sayGood(0, w)
	})
	kept := newRecorder()
	little := measured(t, s, Config{Duration: 2 * time.Second, Concurrency: 32, Rate: 100}, kept, kept).little(32)
	assert.InEpsilon(t, 10, little.Sampled, 0.25, "100 a second × 0.1 s")
	assert.InEpsilon(t, little.Sampled, little.InFlight, 0.1)
}

func TestAStallShowsInEveryRequestThatItHeldUp(t *testing.T) {
	const stall = 400 * time.Millisecond
	var gate sync.RWMutex // held while the server stalls, so that no answer gets out
	s := serve(t, func(n int64, w http.ResponseWriter) {
		if n == 100 {
			gate.Lock()
			time.Sleep(stall)
			gate.Unlock()
		}
		gate.RLock()
		defer gate.RUnlock()
		sayGood(n, w)
	})
	kept := newRecorder()
	// 500 requests a second through 4 connections: of the 200 that are due during the stall only 4 can be sent.
	total := measured(t, s, Config{Duration: 2 * time.Second, Concurrency: 4, Rate: 500}, kept, kept)
	intended := newHistogram()
	for _, second := range kept.take(time.Minute) {
		intended.Merge(second.histogram)
	}
	actual := kept.actual
	require.GreaterOrEqual(t, total.OK, int64(900))
	held := func(latency int64) bool { return latency > (stall / 4).Microseconds() }
	assert.True(t, held(intended.ValueAtQuantile(90)), "from the intended start, over a tenth waited: p90 is %d µs",
		intended.ValueAtQuantile(90))
	assert.False(t, held(actual.ValueAtQuantile(99)),
		"from the actual start, the stall hides in 4 requests: p99 is %d µs",
		actual.ValueAtQuantile(99))
	assert.True(t, held(actual.Max()), "the worst request shows it either way")
}

func TestARateThatIsTooHighIsReportedAsNotReached(t *testing.T) {
	s := serve(t, func(n int64, w http.ResponseWriter) {
		time.Sleep(10 * time.Millisecond)
		sayGood(n, w)
	})
	kept := newRecorder()
	config := Config{Duration: 500 * time.Millisecond, Concurrency: 2, Rate: 2_000}
	offered := measured(t, s, config, kept, kept).offered(config)
	assert.False(t, offered.Reached)
	assert.Less(t, offered.Sent, 250.0, "two connections, 10 ms a request")
	assert.Greater(t, offered.Unsent, int64(800))
}

func TestAnInterruptedProcessDoesNotWaitForAnswers(t *testing.T) {
	release := make(chan struct{})
	s := serve(t, func(_ int64, _ http.ResponseWriter) { <-release })
	defer close(release)
	start, err := openGate()
	require.NoError(t, err)
	defer start.close()
	config := against(s)
	config.Processes, config.Duration, config.Timeout = 1, time.Hour, time.Hour
	task := assignment{Config: config, Day: world.FirstDay, Threshold: threshold, Gate: start.address()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- task.run(ctx, json.NewEncoder(io.Discard), nil) }()
	require.NoError(t, start.gather(ctx, 1))
	_, err = start.open()
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.asked.Load() == int64(config.Concurrency) },
		10*time.Second, time.Millisecond)
	cancel()
	select {
	case err := <-done:
		assert.ErrorIs(t, err, context.Canceled)
	case <-time.After(10 * time.Second):
		t.Fatal("it still waits")
	}
}

func TestAnswersAreToldFromWhatIsNone(t *testing.T) {
	for body, want := range map[string]answer{
		goodAnswer:        {version: []byte("2026-10-30")},
		goodAnswer + "\n": {version: []byte("2026-10-30")},
		`{"version":"2026-10-31","degraded":true,"scores":{}}`: {version: []byte("2026-10-31"), degraded: true},
		`{"version":"2026-10-31","scores":{},"degraded":true}`: {version: []byte("2026-10-31"), degraded: true},
	} {
		got, ok := parseAnswer([]byte(body))
		require.True(t, ok, body)
		assert.Equal(t, want.version, got.version)
		assert.Equal(t, want.degraded, got.degraded)
	}
	for _, body := range []string{
		"", "{}", "null", "<html>", `{"version":"`, `{"version":"","scores":{}}`, `{"version":"2026-10-30"}`,
		goodAnswer[:len(goodAnswer)-10], `{"scores":{},"version":"2026-10-30"}`,
	} {
		_, ok := parseAnswer([]byte(body))
		assert.False(t, ok, body)
	}
}

func TestAnAlarmWakesAtItsTimeAndNotBefore(t *testing.T) {
	a, err := newAlarm()
	require.NoError(t, err)
	defer a.close()
	for _, wait := range []time.Duration{-time.Second, 0, 300 * time.Microsecond, 3 * time.Millisecond} {
		began := time.Now()
		assert.True(t, a.wait(t.Context(), wait))
		assert.GreaterOrEqual(t, time.Since(began), wait)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	assert.False(t, a.wait(ctx, time.Hour), "the run was cancelled")
	assert.False(t, a.wait(ctx, 0))
}
