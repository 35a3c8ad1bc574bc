package check

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/service"
)

// Compare returns the measurements of an experiment's record after holding them to what makes a comparison fair. Each
// is Sound. The variants are those named, "DB_DELAY_MS=2 CACHE_SIZE=0", and the servers themselves said so; the
// baseline is a server with the defaults. All served the record's build, to the record's seed and load. The record's
// numbers are those of the measurements.
func Compare(t testing.TB, made record.Record, variants ...string) lab.Comparison {
	t.Helper()
	var c lab.Comparison
	require.NoError(t, json.Unmarshal(made.Detail, &c), "the measurements are part of the record")
	require.Len(t, c.Variants, len(variants), "what was measured beside the baseline: %s", strings.Join(variants, ", "))
	measured := append([]lab.Measured{c.Baseline}, c.Variants...)
	for i, name := range append([]string{"baseline"}, variants...) {
		m := measured[i]
		var changes []string
		if i > 0 {
			changes = strings.Fields(name)
		}
		require.Equal(t, name, m.Name, "the configuration that was measured")
		require.Equal(t, changes, slices.Concat(m.Settings), "%s: the settings of the server", name)
		Sound(t, m)
		settings := m.Report.Servers[0].Settings
		require.Equal(t, serverWith(t, changes), settings, "%s: the settings as the server itself says", name)
		require.JSONEq(t, text(t, settings), text(t, made.Config["server "+name]),
			"%s: the settings in the record's config", name)
		sameSetting(t, made, m)
	}
	agree(t, made.Numbers, c.Numbers())
	return c
}

func text(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// serverWith are the settings of a server with the defaults and the changes.
func serverWith(t testing.TB, changes []string) load.Settings {
	t.Helper()
	config := service.Default()
	settings := load.Settings{Bloom: true, CacheSize: config.CacheSize, DBBudgetMillis: config.DBBudget.Milliseconds()}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		number, err := strconv.Atoi(value)
		switch name {
		case "BLOOM":
			settings.Bloom, err = value == "on", nil
		case "CACHE_SIZE":
			settings.CacheSize = number
		case "DB_DELAY_MS":
			settings.DBDelayMillis = int64(number)
		case "DB_BUDGET_MS":
			settings.DBBudgetMillis = int64(number)
		default:
			t.Fatalf("no server has the setting %q", change)
		}
		require.NoError(t, err, change)
	}
	return settings
}

// sameSetting holds what was around one measurement to what the record says of all.
func sameSetting(t testing.TB, made record.Record, m lab.Measured) {
	t.Helper()
	config := m.Report.Config
	for _, one := range []struct {
		of string
		is any
	}{
		{"build", m.Build}, {"version", string(m.Report.Version)}, {"seed", float64(config.Seed)},
		{"processes", float64(config.Processes)}, {"concurrency", float64(config.Concurrency)},
		{"warmup", float64(config.Warmup)}, {"rate", config.Rate}, {"seconds", config.Duration.Seconds()},
	} {
		require.Equal(t, made.Config[one.of], one.is, "%s: the %s is the one that the record names", m.Name, one.of)
	}
	apart := m.MeasuredAt.Sub(made.RecordedAt).Abs()
	require.Less(t, apart, longestRun+4*config.Duration, "%s: it was measured in the run, or shortly before", m.Name)
}

// longestRun is the age of a baseline that is used again, and what a slow machine may need around the loads.
const longestRun = 10*time.Minute + 5*time.Minute

// agree holds the numbers of a record to those that its measurements give.
func agree(t testing.TB, recorded, measured map[string]float64) {
	t.Helper()
	names := slices.Sorted(maps.Keys(measured))
	require.Subset(t, names, slices.Collect(maps.Keys(recorded)), "numbers of the record that were not measured")
	for _, name := range names {
		number, ok := recorded[name]
		require.True(t, ok, "the record lacks the number %s", name)
		require.LessOrEqual(t, math.Abs(number-measured[name]), 1e-9*math.Abs(measured[name]),
			"the record's %s is %v, and the measurements give %v", name, number, measured[name])
	}
}

// Steady holds a baseline to the shares of a warm server with the defaults, which depend on the layers and on the
// traffic and not on the machine: the filter settles 50 ± 3 percent of the lookups, the cache and the database 25 ± 5
// each.
func Steady(t testing.TB, baseline lab.Measured) {
	t.Helper()
	Percent(t, 50, 3, baseline.BloomShare(), "baseline: Bloom said no")
	Percent(t, 25, 5, baseline.CacheShare(), "baseline: cache hits")
	Percent(t, 25, 5, baseline.DBShare(), "baseline: read from db")
}

// Percent holds a share, from 0 to 1, to a number of percent, give or take some.
func Percent(t testing.TB, percent, giveOrTake, share float64, of string) {
	t.Helper()
	require.InDelta(t, percent, 100*share, giveOrTake, "%s, percent", of)
}

// Predicted holds a prediction, where the record has one, to the number of the record that it was about.
func Predicted(t testing.TB, made record.Record, answer string) {
	t.Helper()
	if made.Prediction == nil {
		return
	}
	require.NotEmpty(t, made.Prediction.Question, "what was asked")
	require.Equal(t, made.Numbers[answer], made.Prediction.Measured,
		"what was measured, beside the prediction: %s", answer)
}
