package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

const step = "07-no-bloom"

// The run is long enough for the shares, which do not depend on its length.
var experiment = check.Experiment{Step: step, Lesson: lesson, Run: []string{"PREDICT=72", "--seconds", "2"}}

func TestMain(m *testing.M) { check.Main(m, main) }

func TestWithoutTheFilterTheDatabaseAnswersAtLeastTwiceAsMuch(t *testing.T) {
	made := check.Recorded(t, step, experiment.Run...)
	c := check.Compare(t, made, "BLOOM=off")
	with, without := c.Baseline, c.Variants[0]
	check.Steady(t, with)
	require.Zero(t, without.Report.Server().BloomNo, "Bloom said no, where there is no filter")
	check.Percent(t, 73.5, 6.5, without.DBShare(), "read from db, without the filter")
	require.GreaterOrEqual(t, without.DBShare(), 2*with.DBShare(), "read from db, at least twice the baseline's share")
	require.Greater(t, without.ReadShare(), with.ReadShare(), "requests with a read, more than in the baseline")
	check.Predicted(t, made, "db_share_percent")

	check.Prove(t, made, check.Forged(map[string]func(*record.Record){
		"the filter was on, as the server `itself says`": check.OfServer(0, func(s *load.Server) { s.Settings.Bloom = true }),
		"the filter settled a lookup: `Bloom said no`": check.OfServer(0, func(s *load.Server) {
			s.BloomNo, s.DBKeys = 1, s.DBKeys-1
		}),
		"too few lookups were `read from db`": check.OfServer(0, func(s *load.Server) {
			s.DBKeys, s.CacheHits = s.DBKeys-s.Lookups/10, s.CacheHits+s.Lookups/10
		}),
	}))
}

func TestItAsksFirstAndShowsThePredictionBesideTheMeasurement(t *testing.T) {
	experiment.Tells(t, "now with BLOOM=off", "Bloom said no", "read from db", "where lookups ended",
		"-> The database answers", "-> Of 100 requests", "-> The filter had settled")
}

func TestForProgramsItPrintsTheRecordAlone(t *testing.T) { experiment.PrintsTheRecordAlone(t) }

func TestABusyPortIsNamed(t *testing.T) { experiment.NamesABusyPort(t) }

func TestWrongUseTouchesNothing(t *testing.T) { experiment.RefusesWrongUse(t) }
