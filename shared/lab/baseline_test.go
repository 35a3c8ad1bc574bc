package lab

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

const baselineAge = 3 * time.Minute

// kept is a stage with a baseline that was measured three minutes before now.
func kept(t *testing.T) (stage Stage, size load.Config, now time.Time) {
	t.Helper()
	stage = Stage{
		Home: home.Home(t.TempDir()), Seed: DefaultSeed,
		Version: release.Manifest{Day: world.FirstDay, Build: "2026-10-30-3f9c2a1b", Rows: 276_905},
	}
	size = load.Config{Duration: 12 * time.Second, Processes: 2, Concurrency: 32, Warmup: 60_000, Seed: DefaultSeed}
	now = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	server := load.Server{Requests: 20, Lookups: 100, BloomNo: 50, CacheHits: 25, DBKeys: 25, Settings: unchanged()}
	measured := Measured{
		Name: baselineName, Key: baselineName, Build: stage.Version.Build, MeasuredAt: now.Add(-baselineAge),
		Report: &load.Report{OK: 20, Config: size, Servers: []load.Server{server}},
	}
	require.NoError(t, stage.keepBaseline(measured, size))
	return stage, size, now
}

func TestABaselineServesUntilItIsTenMinutesOld(t *testing.T) {
	stage, size, now := kept(t)
	for _, later := range []time.Duration{0, recent - baselineAge} {
		again, err := stage.keptBaseline(size, now.Add(later))
		require.NoError(t, err)
		require.EqualValues(t, 20, again.Report.OK)
	}
	_, err := stage.keptBaseline(size, now.Add(recent-baselineAge+time.Second))
	require.EqualError(t, err, "the recorded one is too old")
	_, err = stage.keptBaseline(size, now.Add(-baselineAge-time.Second))
	require.EqualError(t, err, "the recorded one is of the future")
}

func TestABaselineThatWouldNotCompareIsNotUsedAndTheReasonIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*record.Record)
		why   string
	}{
		"another machine": {func(r *record.Record) { r.Machine.Cores++ }, "is of another machine"},
		"another Go":      {func(r *record.Record) { r.Machine.Go = "go1.1" }, "is of another machine"},
		"another build":   {func(r *record.Record) { r.Config["build"] = "2026-10-31-0" }, "is of another version"},
		"a build of its own": {
			remeasured(func(m *Measured) { m.Build = "2026-10-30-00000000" }), "is of another version",
		},
		"another seed":     {func(r *record.Record) { r.Config["seed"] = 7 }, "is of another version"},
		"another load":     {func(r *record.Record) { r.Config["concurrency"] = 9 }, "is of another load"},
		"no load at all":   {func(r *record.Record) { r.Config = nil }, "is of another version"},
		"a failed request": {remeasured(func(m *Measured) { m.Report.Failed = 1 }), "is no clean run"},
		"a version swap":   {remeasured(func(m *Measured) { m.Report.Servers[0].Swaps = 1 }), "is no clean run"},
		"no server's side": {remeasured(func(m *Measured) { m.Report.Servers = nil }), "is no clean run"},
		"another default of the cache's size": {
			remeasured(func(m *Measured) { m.Report.Servers[0].Settings.CacheSize = 17 }), "is of another server",
		},
		"a variant": {
			remeasured(func(m *Measured) { m.Settings = []string{"BLOOM=off"} }), "is of another server",
		},
		"no report":             {remeasured(func(m *Measured) { m.Report = nil }), "cannot be read"},
		"no detail":             {func(r *record.Record) { r.Detail = nil }, "cannot be read"},
		"a detail of its own":   {func(r *record.Record) { r.Detail = json.RawMessage(`[1e999]`) }, "cannot be read"},
		"another schema":        {func(r *record.Record) { r.Schema++ }, "cannot be read"},
		"a record of something": {func(r *record.Record) { r.Numbers = map[string]float64{"requests": -1} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			stage, size, now := kept(t)
			made, err := record.Load(stage.Home.Results(), baselineName)
			require.NoError(t, err)
			test.spoil(&made)
			require.NoError(t, made.Save(stage.Home.Results()))
			_, err = stage.keptBaseline(size, now)
			if test.why == "" { // the measurement counts, not the figures beside it
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, "the recorded one "+test.why)
		})
	}
	t.Run("and one that is of another world's seed", func(t *testing.T) {
		stage, size, now := kept(t)
		stage.Seed = 7
		_, err := stage.keptBaseline(size, now)
		require.EqualError(t, err, "the recorded one is of another version")
	})
	for name, content := range map[string]string{"empty": "", "torn": `{"schema":1,"step":"base`, "null": "null"} {
		t.Run("and a file that is "+name, func(t *testing.T) {
			stage, size, now := kept(t)
			require.NoError(t, os.WriteFile(record.Path(stage.Home.Results(), baselineName), []byte(content), 0o644))
			_, err := stage.keptBaseline(size, now)
			require.EqualError(t, err, "the recorded one cannot be read")
		})
	}
	t.Run("and none at all", func(t *testing.T) {
		stage, size, now := kept(t)
		require.NoError(t, os.Remove(record.Path(stage.Home.Results(), baselineName)))
		_, err := stage.keptBaseline(size, now)
		require.EqualError(t, err, "none is recorded yet")
	})
}

// remeasured edits the measurement that a kept baseline holds.
func remeasured(edit func(*Measured)) func(*record.Record) {
	return func(r *record.Record) {
		var measured Measured
		if json.Unmarshal(r.Detail, &measured) == nil {
			edit(&measured)
			r.Detail, _ = json.Marshal(measured)
		}
	}
}
