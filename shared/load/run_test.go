package load

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/world"
)

func TestARunCountsWhatTheServerCounts(t *testing.T) {
	s := serve(t, sayGood)
	config := against(s)
	config.Warmup, config.Reset = 60, true
	report := run(t, config)
	assert.Positive(t, report.OK)
	assert.EqualValues(t, 60+report.OK, s.asked.Load(), "warm-up and measured requests")
	assert.EqualValues(t, report.OK, report.Server().Requests, "the warm-up is left out of the server's side too")
	assert.EqualValues(t, 1, s.resets.Load())
	assert.NoError(t, report.Err())
	assert.Equal(t, map[world.Day]int64{"2026-10-30": report.OK}, report.Versions)
	assert.Equal(t, Connections{Opened: 6, Ideal: 6}, report.Connections)
	assert.EqualValues(t, report.OK, report.Latency.Count)
	assert.InEpsilon(t, float64(report.OK)/report.Seconds, report.PerSecond, 1e-9)
	assert.GreaterOrEqual(t, report.Seconds, 0.3)
	assert.Less(t, report.Seconds, 2.0)
	assert.Positive(t, report.CPU.Generator)
	assert.Nil(t, report.Offered)
	assert.InEpsilon(t, report.Little.Sampled, report.Little.InFlight, 0.15)
}

func TestTheTimelineAddsUpToTheTotals(t *testing.T) {
	s := serve(t, func(n int64, w http.ResponseWriter) {
		if n%10 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		time.Sleep(time.Millisecond)
		sayGood(n, w)
	})
	config := against(s)
	config.Duration = 2200 * time.Millisecond
	report := run(t, config)
	require.GreaterOrEqual(t, len(report.Timeline), 3)
	var ok, failed int64
	for i, second := range report.Timeline {
		assert.Equal(t, i+1, second.Second)
		ok += second.OK
		failed += second.Errors
	}
	assert.Equal(t, report.OK, ok)
	assert.Equal(t, report.Failed, failed)
}

func TestSeveralServersShareTheConnections(t *testing.T) {
	first, second := serve(t, sayGood), serve(t, sayGood)
	config := against(first)
	config.URLs = append(config.URLs, second.URL)
	report := run(t, config)
	assert.Positive(t, first.asked.Load())
	assert.Positive(t, second.asked.Load())
	assert.Equal(t, report.OK, first.asked.Load()+second.asked.Load())
	require.Len(t, report.Servers, 2)
	assert.Equal(t, report.OK, report.Server().Requests)
}

func TestEachKindOfErrorIsCountedUnderItsName(t *testing.T) {
	blocked := make(chan struct{})
	kinds := map[string]func(n int64, w http.ResponseWriter){
		"status 503": func(_ int64, w http.ResponseWriter) {
			http.Error(w, `{"error":"draining"}`, http.StatusServiceUnavailable)
		},
		"status 404":       func(_ int64, w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"malformed answer": func(_ int64, w http.ResponseWriter) { _, _ = io.WriteString(w, `{"scores":{}}`) },
		"wrong answer": func(_ int64, w http.ResponseWriter) {
			_, _ = io.WriteString(w, strings.Replace(goodAnswer, ":0.9", ":-1", 1))
		},
		"connection lost": func(_ int64, w http.ResponseWriter) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = connection.Close()
			}
		},
		"timeout": func(_ int64, _ http.ResponseWriter) { <-blocked },
	}
	for kind, answer := range kinds {
		t.Run(kind, func(t *testing.T) {
			config := against(serve(t, answer))
			config.Processes = 1
			if kind == kindTimeout {
				config.Timeout = 100 * time.Millisecond
				t.Cleanup(func() { close(blocked) }) // runs before the server's own, which waits for its handlers
			}
			report := run(t, config)
			require.Len(t, report.Errors, 1)
			assert.Equal(t, kind, report.Errors[0].Kind)
			assert.Positive(t, report.Errors[0].Count)
			assert.Equal(t, report.Errors[0].Count, report.Failed)
			assert.NotEmpty(t, report.Errors[0].First)
			assert.Zero(t, report.OK)
			assert.Zero(t, report.Latency.Count, "errors are kept out of latency")
			assert.ErrorContains(t, report.Err(), "requests failed: "+kind)
		})
	}
}

func TestAServerThatGoesAwayIsConnectionRefused(t *testing.T) {
	s := serve(t, sayGood)
	s.answer = func(n int64, w http.ResponseWriter) {
		if n == 50 {
			_ = s.Listener.Close()
		}
		w.Header().Set("Connection", "close")
		sayGood(n, w)
	}
	config := against(s)
	config.Processes = 1
	report := run(t, config)
	assert.Positive(t, report.OK, "what the clients saw before still counts")
	assert.Positive(t, report.Failed)
	assert.ErrorContains(t, report.Err(), kindRefused)
	assert.Contains(t, printed(report), "server: gone at the end, so its side is missing\n")
	assert.Empty(t, report.Servers)
	report.Failed = 0
	assert.ErrorContains(t, report.Err(), "is the server still running?", "also when no request was in flight at that moment")

	// The worker's own view of it:
	a := attackOn(t, s, Config{Concurrency: 1, Timeout: time.Second})
	_, failed := a.ask(a.workers[0])
	require.NotNil(t, failed)
	assert.Equal(t, kindRefused, failed.kind)
}

func TestConnectionsThatAreNotKeptAliveAreCounted(t *testing.T) {
	s := serve(t, func(n int64, w http.ResponseWriter) {
		w.Header().Set("Connection", "close")
		sayGood(n, w)
	})
	report := run(t, against(s))
	assert.NoError(t, report.Err())
	assert.GreaterOrEqual(t, report.Connections.Opened, report.OK)
	var text bytes.Buffer
	report.Print(&text)
	assert.Contains(t, text.String(), "new connections: ")
}

func TestDegradedAnswersAreGoodAnswersAndCounted(t *testing.T) {
	s := serve(t, func(n int64, w http.ResponseWriter) {
		_, _ = io.WriteString(w, strings.TrimSuffix(goodAnswer, "}")+`,"degraded":true}`)
	})
	report := run(t, against(s))
	assert.NoError(t, report.Err())
	assert.Positive(t, report.OK)
	assert.Equal(t, report.OK, report.Degraded)
}

func TestAVersionPublishedMeanwhileIsSeen(t *testing.T) {
	s := serve(t, func(n int64, w http.ResponseWriter) {
		if n > 100 {
			_, _ = io.WriteString(w, strings.Replace(goodAnswer, "-30", "-31", 1))
			return
		}
		sayGood(n, w)
	})
	report := run(t, against(s))
	assert.EqualValues(t, 100, report.Versions["2026-10-30"])
	assert.Equal(t, report.OK-100, report.Versions["2026-10-31"])
}

func TestABareServerWithoutCountersIsMeasuredFromOutside(t *testing.T) {
	s := serve(t, sayGood)
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/metrics") {
			http.NotFound(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	})
	config := against(s)
	config.Reset = true
	report := run(t, config)
	assert.Positive(t, report.OK)
	assert.Empty(t, report.Servers)
	assert.False(t, report.CPU.Known)
}

func TestARunThatCannotStartSaysWhatToDo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := "http://" + listener.Addr().String()
	require.NoError(t, listener.Close())
	foreign := serve(t, sayGood)
	foreign.world.Seed = 7
	changed := serve(t, sayGood)
	changed.world.ASINs++
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"error":"no data version loaded yet; publish one with: go run ./steps/01-batch"}`)
	}))
	defer empty.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>hello</html>")
	}))
	defer page.Close()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer other.Close()

	for name, c := range map[string]struct{ url, want string }{
		"nobody listens":       {nobody, "no server at " + nobody + "; start one with: go run ./steps/04-api, or name another with --url"},
		"a foreign world":      {foreign.URL, "serves the world of LAB_SEED=7, this generator draws from LAB_SEED=42; run both with the same LAB_SEED"},
		"another kind of 42":   {changed.URL, "serves another world of LAB_SEED=42"},
		"no version":           {empty.URL, "is not ready: no data version loaded yet; publish one with: go run ./steps/01-batch"},
		"a page, no API":       {page.URL, "the answer is not the JSON of a relevance API"},
		"another kind of JSON": {other.URL, "is not a relevance API: its /healthz names no version and no world; check --url"},
	} {
		t.Run(name, func(t *testing.T) {
			config := against(foreign)
			config.URLs = []string{c.url}
			_, err := Run(t.Context(), config, io.Discard)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
			assert.Equal(t, cli.ExitFailure, cli.Report(err, io.Discard))
		})
	}
}

func TestACancelledRunLeavesNoProcess(t *testing.T) {
	s := serve(t, sayGood)
	config := against(s)
	config.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, config, io.Discard)
		done <- err
	}()
	require.Eventually(t, func() bool { return s.asked.Load() > 100 }, 20*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	before := s.asked.Load()
	assert.Never(t, func() bool { return s.asked.Load() != before }, 100*time.Millisecond, 10*time.Millisecond)
}

func TestTheReportIsJSONWithTheSameFigures(t *testing.T) {
	config := against(serve(t, sayGood))
	config.JSON = true
	report := run(t, config)
	var text bytes.Buffer
	require.NoError(t, report.Write(&text))
	var back Report
	require.NoError(t, json.Unmarshal(text.Bytes(), &back))
	assert.Equal(t, report.Latency, back.Latency)
	assert.Equal(t, report.Timeline, back.Timeline)
	histogram, err := decode(back.Latency.Histogram)
	require.NoError(t, err)
	assert.Equal(t, report.OK, histogram.TotalCount())
	assert.Equal(t, report.Latency.P99, millis(histogram.ValueAtQuantile(99)))
}

func TestProgressIsPlainLinesWhereThereIsNoTerminal(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out, Config{Duration: 12 * time.Second, Warmup: 30_000})
	for i := range 13 {
		p.second(Second{Second: i + 1, OK: 30_000, P99: 5.25})
	}
	p.end()
	assert.Equal(t, "warming up with 30,000 requests\n"+
		"5 s of 12 s: 30,000 req/s, p99 5.250 ms, 0 errors\n"+
		"10 s of 12 s: 30,000 req/s, p99 5.250 ms, 0 errors\n", out.String())
}

// golden compares got with a file in testdata, or writes it anew when UPDATE_GOLDEN is set.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "UPDATE_GOLDEN=1 writes the file anew, for a change that is meant")
}
