package lab_test

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
)

var noFilter = lab.Experiment{
	Step: "07-no-bloom", Lesson: page, Variants: []lab.Variant{{Settings: []string{"BLOOM=off"}}},
	Observe: func(lab.Comparison) []string { return []string{"More reads."} },
}

// page is as much of a lesson as an experiment needs.
const page = `---
title: A lesson
part: 1
minutes: 1
disk: 1 MB
points: 1
needs: [go]
predict: {question: "How much of it?", unit: "%", answer: db_share_percent, why: "Because of the filter."}
hints: [a, b, c]
runs: [{id: main, command: go run ./steps/07-no-bloom}]
---
`

// brief is a setup for a load that is long enough for counters, and says what it says to the returned buffer.
func brief(seconds float64) (lab.Setup, *bytes.Buffer) {
	said := &bytes.Buffer{}
	size := load.Config{
		Duration: time.Duration(seconds * float64(time.Second)), Processes: 1, Concurrency: 8, Warmup: 2000,
		Reset: true, Seed: lab.DefaultSeed,
	}
	return lab.Setup{Load: size, Terminal: said, Say: said}, said
}

func TestAnExperimentMeasuresTheBaselineAndItsVariantSideBySide(t *testing.T) {
	made, _ := stage(t)
	t.Setenv("CACHE_SIZE", "17") // of the person; it is not the experiment's
	setup, said := brief(0.2)
	comparison, err := noFilter.Measure(t.Context(), made, setup)
	require.NoError(t, err)
	require.NoError(t, comparison.Err())

	baseline, variant := comparison.Baseline, comparison.Variants[0]
	require.Equal(t, load.Settings{Bloom: true, CacheSize: 8_560, DBBudgetMillis: 250},
		baseline.Report.Servers[0].Settings)
	require.Equal(t, load.Settings{CacheSize: 8_560, DBBudgetMillis: 250}, variant.Report.Servers[0].Settings)
	require.Contains(t, said.String(), "ignored in your environment: CACHE_SIZE=17")
	require.Contains(t, said.String(), "first the baseline, with nothing changed (none is recorded yet)")
	require.Contains(t, said.String(), "now with BLOOM=off")
	require.Zero(t, variant.BloomShare())
	require.Greater(t, variant.DBShare(), baseline.DBShare())

	t.Run("the next experiment uses the same baseline again", func(t *testing.T) {
		setup, said := brief(0.2)
		again, err := lab.Experiment{}.Measure(t.Context(), made, setup)
		require.NoError(t, err)
		require.Equal(t, baseline.Report.OK, again.Baseline.Report.OK)
		require.Contains(t, said.String(), "the baseline was measured ")
	})
}

func TestAComparisonReadsInEightyColumns(t *testing.T) {
	measured := func(name string, bloom, cache, db int64) lab.Measured {
		server := load.Server{Requests: 20, Lookups: 100, BloomNo: bloom, CacheHits: cache, DBKeys: db, DBReads: db / 5}
		return lab.Measured{Name: name, Report: &load.Report{Servers: []load.Server{server}, PerSecond: 35_087}}
	}
	comparison := lab.Comparison{
		Baseline: measured("baseline", 50, 25, 25),
		Variants: []lab.Measured{measured("DB_DELAY_MS=2", 50, 25, 25), measured("DB_DELAY_MS=2 CACHE_SIZE=0", 50, 0, 50)},
	}
	plain := comparison.Table() + comparison.Bars(console.Style{Width: 80})
	for line := range strings.Lines(plain) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, utf8.RuneCountInString(line), 80, line)
		require.Equal(t, strings.TrimRight(line, " "), line, "no line ends with a blank")
	}
	require.NotContains(t, plain, "\x1b")
	require.NotContains(t, plain, "NaN")
	require.NotContains(t, plain, "Inf")
	require.Regexp(t, `read from db +25% +25% +50% +x 2.00\n`, plain)
	require.Regexp(t, `cache hits +25% +25% +0% +-25 points\n`, plain)
	require.Regexp(t, `batched reads +5 +5 +10\n`, plain)
	require.Contains(t, plain, "  50/0/50%\n")
	require.NotContains(t, plain, "degraded", "a line that says nothing is left out")
	require.Contains(t, comparison.Bars(console.Style{Width: 80, Colour: true}), "\x1b[36m░")

	t.Run("and its bars in forty, on a terminal that has no more", func(t *testing.T) {
		bars := comparison.Bars(console.Style{Width: 40})
		require.Contains(t, bars, "DB_DELAY_MS=2 CACHE_SIZE=0\n░░░░░░░░░░░░░█████████████  50/0/50%\n")
		for line := range strings.Lines(bars) {
			if !strings.Contains(line, "cache hits") { // the legend, which is 49 columns long
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 40, line)
			}
		}
	})

	t.Run("with lookups that nothing answered too, where there are enough to see", func(t *testing.T) {
		server := &comparison.Variants[1].Report.Servers[0]
		server.Lookups, server.DegradedKeys = 1000, 4
		require.NotContains(t, comparison.Table()+comparison.Bars(console.Style{Width: 80}), "degraded")
		server.DegradedKeys = 6
		require.Regexp(t, `degraded +0% +0% +1% +\+1 point\n`, comparison.Table())
		for line := range strings.Lines(comparison.Bars(console.Style{Width: 80})) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
		}
	})
}

func TestALoadInWhichTheVersionChangedComparesWithNothing(t *testing.T) {
	measured := lab.Measured{Name: "BLOOM=off", Report: &load.Report{OK: 1, Servers: []load.Server{{Requests: 1}}}}
	require.NoError(t, measured.Err())
	measured.Report.Servers[0].Swaps = 1
	require.ErrorContains(t, measured.Err(), "BLOOM=off: another version was published during the load; run")
}

func TestAPortThatIsBusyIsOneClearLine(t *testing.T) {
	made, _ := stage(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	setup, _ := brief(0.2)
	setup.Port = taken.Addr().(*net.TCPAddr).Port
	_, err = noFilter.Measure(t.Context(), made, setup)
	require.ErrorContains(t, err, fmt.Sprintf("port %d on 127.0.0.1 is busy", setup.Port))
	require.NotContains(t, err.Error(), "\n")
}
