package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

func TestMain(m *testing.M) { check.Main(m, main) }

// short is a run long enough for the shares, which do not depend on its length.
var short = []string{"--seconds", "3"}

func TestTheLoadReportsBothSidesAndLeavesARecord(t *testing.T) {
	step := check.New(t)
	result := step.Run(t, append(short, "--json")...)
	require.Zero(t, result.Exit, result.Stderr)
	var report load.Report
	require.NoError(t, json.Unmarshal([]byte(result.Stdout), &report), "with --json stdout is the report alone")
	require.Len(t, report.Servers, 1)
	server := report.Servers[0]

	t.Run("no request fails", func(t *testing.T) {
		require.Zero(t, report.Failed)
		require.Positive(t, report.OK)
	})
	t.Run("every lookup ends in exactly one place", func(t *testing.T) {
		require.Equal(t, server.Lookups, server.BloomNo+server.CacheHits+server.DBKeys+server.DegradedKeys)
		require.Equal(t, report.OK, server.Requests, "both sides count the same requests")
		require.Equal(t, 5*server.Requests, server.Lookups, "five creatives a request")
	})
	t.Run("the filter settles half, the cache and the database a quarter each", func(t *testing.T) {
		share := func(part int64) float64 { return 100 * float64(part) / float64(server.Lookups) }
		require.InDelta(t, 50, share(server.BloomNo), 3, "Bloom filter")
		require.InDelta(t, 25, share(server.CacheHits), 5, "cache")
		require.InDelta(t, 25, share(server.DBKeys), 5, "database")
	})
	t.Run("Little's law agrees with what was counted in flight", func(t *testing.T) {
		require.InEpsilon(t, report.Little.Sampled, report.Little.InFlight, 0.05)
	})
	t.Run("both sides' CPU is known", func(t *testing.T) {
		require.True(t, report.CPU.Known)
		require.Positive(t, report.CPU.Generator)
		require.Positive(t, report.CPU.Server)
	})
	t.Run("the run is recorded", func(t *testing.T) {
		made, err := record.Load(step.Home.Results(), "06-load")
		require.NoError(t, err)
		require.EqualValues(t, report.OK, made.Numbers["requests"])
		require.EqualValues(t, server.DBReads, made.Numbers["db_reads"])
		require.NotEmpty(t, made.Machine.Go)
	})
}

func TestTheStepPrintsTheLinesInTheirOrder(t *testing.T) {
	printed := check.New(t).Succeed(t, short...)
	at := -1
	for _, line := range []string{"requests: ", "client latency ms: p50 ", "Little's law: ", "server [2026-10-30] ", "server latency ms: p50 ", "CPU: generator "} {
		next := strings.Index(printed, line)
		require.Greater(t, next, at, "%q, in:\n%s", line, printed)
		at = next
	}
}

func TestARunWithErrorsDoesNotSucceed(t *testing.T) {
	step := check.New(t)
	step.Succeed(t, "--seconds", "1") // publishes
	line := step.Run(t, "--url", "http://127.0.0.1:1", "--seconds", "1")
	require.Equal(t, 1, line.Exit)
	require.Contains(t, line.Stderr, "127.0.0.1:1")

	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	line = step.Run(t, "--url", stranger.URL, "--seconds", "1")
	require.Equal(t, 1, line.Exit)
	require.NotContains(t, line.Stderr, "panic")
}

func TestAWrongFlagIsWrongUse(t *testing.T) {
	step := check.New(t)
	for _, args := range [][]string{
		{"--seconds", "0"}, {"--seconds", "NaN"}, {"--processes", "0"}, {"--concurrency", "-1"}, {"--rate", "-5"},
		{"--warmup", "-1"}, {"--url", "not an address"}, {"--sekonds", "3"}, {"LAB_SEED=x"},
	} {
		step.Refuse(t, 2, args...)
	}
	entries, err := os.ReadDir(string(step.Home))
	require.NoError(t, err)
	require.Empty(t, entries, "wrong use touches nothing")
}
