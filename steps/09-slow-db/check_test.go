package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

const step = "09-slow-db"

// The run is long enough for the shares, which do not depend on its length.
var experiment = check.Experiment{Step: step, Lesson: lesson, Run: []string{"PREDICT=72", "--seconds", "2"}}

func TestMain(m *testing.M) { check.Main(m, main) }

func TestAboutHalfOfTheRequestsFeelTheSlowDatabaseAndWithoutTheCacheNearlyAll(t *testing.T) {
	made := check.Recorded(t, step, experiment.Run...)
	c := check.Compare(t, made, "DB_DELAY_MS=2", "DB_DELAY_MS=2 CACHE_SIZE=0")
	check.Steady(t, c.Baseline)
	require.Less(t, c.Baseline.Report.Server().Latency.P50, 2.0, "baseline: the server's median, ms, below the delay")
	for _, slow := range c.Variants {
		require.InDelta(t, 100*slow.ReadShare(), 100*slow.WaitedShare(), 1,
			"%s: requests that waited, timed one by one, against batched reads / requests, percent", slow.Name)
		require.GreaterOrEqual(t, slow.Report.Server().Latency.P50, 2.0,
			"%s: the server's median, ms, shows the delay", slow.Name)
	}
	check.Percent(t, 52.5, 7.5, c.Variants[0].WaitedShare(), "requests that waited, with the cache")
	check.Percent(t, 97, 1, c.Variants[1].WaitedShare(), "requests that waited, without the cache")
	check.Predicted(t, made, "waited_percent")

	check.Prove(t, made, check.Forged(map[string]func(*record.Record){
		"there was another delay, as the server `itself says`": check.OfServer(0, func(s *load.Server) {
			s.Settings.DBDelayMillis = 1
		}),
		"there was a cache, as the server `itself says`": check.OfServer(1, func(s *load.Server) {
			s.Settings.CacheSize = 8_560
		}),
		"the variants are exchanged: `the configuration that was measured`": check.Remeasured(func(c *lab.Comparison) {
			c.Variants[0], c.Variants[1] = c.Variants[1], c.Variants[0]
		}),
		"only one was measured `beside the baseline`": check.Remeasured(func(c *lab.Comparison) {
			c.Variants = c.Variants[:1]
		}),
		"fewer `requests that waited` than reads were made": check.OfServer(0, func(s *load.Server) {
			s.DBWaited -= s.Requests / 50
		}),
		"too many `requests that waited, with the cache`": check.OfServer(0, func(s *load.Server) {
			s.DBReads = s.Requests * 7 / 10
			s.DBWaited, s.DBTime.Count = s.DBReads, s.DBReads
		}),
		"too few `requests that waited, without the cache`": check.OfServer(1, func(s *load.Server) {
			s.DBReads -= s.Requests / 20
			s.DBWaited = s.DBReads
		}),
		"`the server's median` does not show the delay": check.OfServer(0, func(s *load.Server) { s.Latency.P50 = 0.011 }),
		"`baseline: the server's median` shows a delay": check.Remeasured(func(c *lab.Comparison) {
			c.Baseline.Report.Servers[0].Latency.P50 = 2.1
		}),
		"the number `no_cache_db_waited` is edited": func(r *record.Record) { r.Numbers["no_cache_db_waited"]-- },
		"the number `waited_percent` is edited":     func(r *record.Record) { r.Numbers["waited_percent"] = 56 },
		"`no_cache_reads_percent` is left out":      func(r *record.Record) { delete(r.Numbers, "no_cache_reads_percent") },
	}))
}

func TestItAsksFirstAndShowsThePredictionBesideTheMeasurement(t *testing.T) {
	experiment.Tells(t, "now with DB_DELAY_MS=2", "now with DB_DELAY_MS=2 CACHE_SIZE=0", "requests that waited",
		"change: from DB_DELAY_MS=2 to DB_DELAY_MS=2 CACHE_SIZE=0", "where lookups ended", "-> With the cache",
		"-> Batched reads / requests", "-> The server's median")
}

func TestForProgramsItPrintsTheRecordAlone(t *testing.T) { experiment.PrintsTheRecordAlone(t) }

func TestABusyPortIsNamed(t *testing.T) { experiment.NamesABusyPort(t) }

func TestWrongUseTouchesNothing(t *testing.T) { experiment.RefusesWrongUse(t) }
