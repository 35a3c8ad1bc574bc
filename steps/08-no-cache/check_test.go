package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

const step = "08-no-cache"

// The run is long enough for the shares, which do not depend on its length.
var experiment = check.Experiment{Step: step, Lesson: lesson, Run: []string{"PREDICT=72", "--seconds", "2"}}

func TestMain(m *testing.M) { check.Main(m, main) }

func TestWithoutTheCacheAllThatTheFilterLetsThroughIsRead(t *testing.T) {
	made := check.Recorded(t, step, experiment.Run...)
	c := check.Compare(t, made, "CACHE_SIZE=0")
	with, without := c.Baseline, c.Variants[0]
	check.Steady(t, with)
	require.Zero(t, without.Report.Server().CacheHits, "cache hits, where there is no cache")
	check.Percent(t, 50, 3, without.BloomShare(), "Bloom said no, without the cache")
	check.Percent(t, 50, 3, without.DBShare(), "read from db, without the cache")
	check.Percent(t, 97, 1, without.ReadShare(), "requests with a read, without the cache")
	require.Greater(t, without.ReadShare(), with.ReadShare(), "requests with a read, more than in the baseline")
	check.Predicted(t, made, "reads_percent")

	check.Prove(t, made, check.Forged(map[string]func(*record.Record){
		"the cache was on, as the server `itself says`": check.OfServer(0, func(s *load.Server) {
			s.Settings.CacheSize = 8_560
		}),
		"there is one of the `cache hits`": check.OfServer(0, func(s *load.Server) {
			s.CacheHits, s.DBKeys = 1, s.DBKeys-1
		}),
		"the filter settled too much: `Bloom said no`": check.OfServer(0, func(s *load.Server) {
			s.BloomNo, s.DBKeys = s.BloomNo+s.Lookups/20, s.DBKeys-s.Lookups/20
		}),
		"too few `requests with a read`": check.OfServer(0, func(s *load.Server) { s.DBReads -= s.Requests / 20 }),
	}))
}

func TestItAsksFirstAndShowsThePredictionBesideTheMeasurement(t *testing.T) {
	experiment.Tells(t, "now with CACHE_SIZE=0", "cache hits", "requests with a read", "where lookups ended",
		"-> The filter still stops", "-> Of 100 requests", "-> The cache had answered")
}

func TestForProgramsItPrintsTheRecordAlone(t *testing.T) { experiment.PrintsTheRecordAlone(t) }

func TestABusyPortIsNamed(t *testing.T) { experiment.NamesABusyPort(t) }

func TestWrongUseTouchesNothing(t *testing.T) { experiment.RefusesWrongUse(t) }
