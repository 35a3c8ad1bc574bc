package check

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/world"
)

// measured is an honest load of a server that ended its lookups so.
func measured(key string, settings load.Settings, bloom, cache, db int64, changes ...string) lab.Measured {
	lookups := bloom + cache + db
	requests := lookups / creatives
	reads := min(requests-10, db/2)
	server := load.Server{
		Version: world.FirstDay, Requests: requests, Lookups: lookups, BloomNo: bloom, CacheHits: cache, DBKeys: db,
		DBReads: reads, Latency: load.ServerLatency{Count: requests}, DBTime: load.ServerLatency{Count: reads},
		Settings: settings,
	}
	name := key
	if len(changes) > 0 {
		name = changes[0]
	}
	return lab.Measured{
		Name: name, Key: key, Settings: changes, Build: "2026-10-30-ceff2692", MeasuredAt: time.Now().UTC(),
		Report: &load.Report{
			Config:  load.Config{Duration: 2 * time.Second, Processes: 2, Concurrency: 32, Warmup: 60_000, Seed: 42},
			Version: world.FirstDay, OK: requests, Seconds: 2, PerSecond: float64(requests) / 2,
			Latency: load.Latency{Count: requests}, Versions: map[world.Day]int64{world.FirstDay: requests},
			Timeline: []load.Second{{OK: requests - 1}, {OK: 1}}, Servers: []load.Server{server},
		},
	}
}

func honestComparison(t *testing.T) record.Record {
	t.Helper()
	c := lab.Comparison{
		Baseline: measured("baseline", load.Settings{Bloom: true, CacheSize: 8560, DBBudgetMillis: 250}, 500, 250, 250),
		Variants: []lab.Measured{measured("", load.Settings{CacheSize: 8560, DBBudgetMillis: 250}, 0, 270, 730, "BLOOM=off")},
	}
	made, err := record.New("07-no-bloom", map[string]any{
		"build": "2026-10-30-ceff2692", "version": "2026-10-30", "seed": 42.0, "processes": 2.0, "concurrency": 32.0,
		"warmup": 60_000.0, "rate": 0.0, "seconds": 2.0, "server baseline": c.Baseline.Report.Servers[0].Settings,
		"server BLOOM=off": c.Variants[0].Report.Servers[0].Settings,
	}, c.Numbers(), c)
	require.NoError(t, err)
	return made
}

func TestAnHonestComparisonIsFairAndSteady(t *testing.T) {
	made := honestComparison(t)
	c := Compare(t, made, "BLOOM=off")
	Steady(t, c.Baseline)
	require.InDelta(t, 0.73, c.Variants[0].DBShare(), 1e-9)
}

func TestADegradedAnswerIsTakenAsCounted(t *testing.T) {
	made := honestComparison(t)
	Remeasured(func(c *lab.Comparison) {
		report := c.Variants[0].Report
		report.Degraded = 1
		report.Servers[0].Degraded, report.Servers[0].DegradedKeys, report.Servers[0].DBKeys = 1, 3, report.Servers[0].DBKeys-3
	})(&made)
	Compare(t, made, "BLOOM=off")
}

func TestWhatMakesAComparisonUnfairIsNamed(t *testing.T) {
	variant := func(change func(*lab.Measured)) func(*record.Record) {
		return Remeasured(func(c *lab.Comparison) { change(&c.Variants[0]) })
	}
	server := func(change func(*load.Server)) func(*record.Record) {
		return variant(func(m *lab.Measured) { change(&m.Report.Servers[0]) })
	}
	for wrong, forge := range map[string]func(*record.Record){
		// the load itself
		"failed requests":               variant(func(m *lab.Measured) { m.Report.Failed = 1 }),
		"failed requests, by kind":      variant(func(m *lab.Measured) { m.Report.Errors = []load.ErrorKind{{Kind: "timeout"}} }),
		"BLOOM=off: requests\n":         variant(func(m *lab.Measured) { m.Report.OK = 0 }),
		"latencies that the client":     variant(func(m *lab.Measured) { m.Report.Latency.Count++ }),
		"answers of version 2026-10-30": variant(func(m *lab.Measured) { m.Report.Versions = nil }),
		"requests per second":           variant(func(m *lab.Measured) { m.Report.PerSecond *= 2 }),
		"those of all seconds":          variant(func(m *lab.Measured) { m.Report.Timeline = m.Report.Timeline[:1] }),
		"servers that counted":          variant(func(m *lab.Measured) { m.Report.Servers = append(m.Report.Servers, load.Server{}) }),
		"of the client and of the server": server(func(s *load.Server) {
			s.Requests, s.Latency.Count, s.Lookups, s.DBKeys = s.Requests-1, s.Latency.Count-1, s.Lookups-5, s.DBKeys-5
		}),
		"latencies that the server":                       server(func(s *load.Server) { s.Latency.Count++ }),
		"bloom_no + cache_hits + db_keys + degraded_keys": server(func(s *load.Server) { s.DBKeys-- }),
		"one or more a degraded answer":                   server(func(s *load.Server) { s.Degraded = 1 }),
		"all of degraded answers":                         server(func(s *load.Server) { s.DegradedKeys, s.DBKeys = 1, s.DBKeys-1 }),
		"degraded answers of the client and of the server": server(func(s *load.Server) {
			s.Degraded, s.DegradedKeys, s.DBKeys = 1, 1, s.DBKeys-1
		}),
		"BLOOM=off: db_waited":                             server(func(s *load.Server) { s.DBWaited = -1 }),
		"errors that the server counted":                   server(func(s *load.Server) { s.Errors = 1 }),
		"lookups = 5 x requests":                           server(func(s *load.Server) { s.Lookups, s.DBKeys = s.Lookups+5, s.DBKeys+5 }),
		"at most one a request":                            server(func(s *load.Server) { s.DBReads = s.Requests + 1 }),
		"all of db_reads":                                  server(func(s *load.Server) { s.DBReads = 1 }),
		"db_waited without a delay":                        server(func(s *load.Server) { s.DBWaited = 1 }),
		"db_waited, of the requests timed at the database": server(func(s *load.Server) { s.DBWaited = s.DBTime.Count + 1 }),
		"version swaps during the load":                    server(func(s *load.Server) { s.Swaps = 1 }),
		// what was measured
		"BLOOM=off: the report of the load is missing": func(r *record.Record) {
			var c lab.Comparison
			require.NoError(t, json.Unmarshal(r.Detail, &c))
			c.Variants[0].Report = nil
			r.Detail, _ = json.Marshal(c)
		},
		"the measurements are part of the record":          func(r *record.Record) { r.Detail = nil },
		"what was measured beside the baseline: BLOOM=off": Remeasured(func(c *lab.Comparison) { c.Variants = nil }),
		"the configuration that was measured":              variant(func(m *lab.Measured) { m.Name = "CACHE_SIZE=0" }),
		"the settings of the server":                       variant(func(m *lab.Measured) { m.Settings = nil }),
		"BLOOM=off: the settings as the server itself":     server(func(s *load.Server) { s.Settings.Bloom = true }),
		"baseline: the settings as the server itself": Remeasured(func(c *lab.Comparison) {
			c.Baseline.Report.Servers[0].Settings.CacheSize = 17
		}),
		"BLOOM=off: the settings in the record's config": func(r *record.Record) {
			r.Config["server BLOOM=off"] = load.Settings{Bloom: true, CacheSize: 8560, DBBudgetMillis: 250}
		},
		// what was around it
		"baseline: the build is": Remeasured(func(c *lab.Comparison) { c.Baseline.Build = "2026-10-30-00000000" }),
		"BLOOM=off: the version is": variant(func(m *lab.Measured) {
			m.Report.Version = "2026-10-31"
			m.Report.Versions = map[world.Day]int64{"2026-10-31": m.Report.OK}
		}),
		"BLOOM=off: the seed is":     variant(func(m *lab.Measured) { m.Report.Config.Seed = 7 }),
		"BLOOM=off: the concurrency": variant(func(m *lab.Measured) { m.Report.Config.Concurrency = 1 }),
		"BLOOM=off: the processes":   variant(func(m *lab.Measured) { m.Report.Config.Processes = 1 }),
		"BLOOM=off: the warmup":      variant(func(m *lab.Measured) { m.Report.Config.Warmup = 0 }),
		"BLOOM=off: the rate":        variant(func(m *lab.Measured) { m.Report.Config.Rate = 100 }),
		"BLOOM=off: the seconds":     variant(func(m *lab.Measured) { m.Report.Config.Duration = time.Second }),
		"it was measured in the run": Remeasured(func(c *lab.Comparison) {
			c.Baseline.MeasuredAt = time.Now().Add(-time.Hour)
		}),
		"the record's db_keys is 1,":   func(r *record.Record) { r.Numbers["db_keys"] = 1 },
		"lacks the number baseline_db": func(r *record.Record) { delete(r.Numbers, "baseline_db_keys") },
		"that were not measured":       func(r *record.Record) { r.Numbers["rows"] = 1 },
	} {
		t.Run(wrong, func(t *testing.T) {
			made := honestComparison(t)
			forge(&made)
			f := try(t, "", func(t testing.TB) { Compare(t, made, "BLOOM=off") })
			require.True(t, f.failed)
			require.Contains(t, f.said, wrong)
		})
	}
}

func TestASettingThatNoServerHasIsAMistakeOfTheCheck(t *testing.T) {
	for _, change := range []string{"BLOOMS=off", "CACHE_SIZE=few"} {
		f := try(t, "", func(t testing.TB) { serverWith(t, []string{change}) })
		require.True(t, f.failed)
		require.Contains(t, f.said, change)
	}
	require.Equal(t, load.Settings{Bloom: true, DBDelayMillis: 2, DBBudgetMillis: 9},
		serverWith(t, []string{"BLOOM=on", "CACHE_SIZE=0", "DB_DELAY_MS=2", "DB_BUDGET_MS=9"}))
}

func TestABaselineThatIsNotWarmIsNotSteady(t *testing.T) {
	settings := load.Settings{Bloom: true, CacheSize: 8560, DBBudgetMillis: 250}
	for of, cold := range map[string]lab.Measured{
		"baseline: Bloom said no": measured("baseline", settings, 600, 200, 200),
		"baseline: cache hits":    measured("baseline", settings, 500, 150, 350),
		"baseline: read from db":  measured("baseline", settings, 475, 215, 310),
	} {
		f := try(t, "", func(t testing.TB) { Steady(t, cold) })
		require.True(t, f.failed, of)
		require.Contains(t, f.said, of)
	}
}

func TestAPredictionStandsBesideTheNumberThatItWasAbout(t *testing.T) {
	made := honestComparison(t)
	Predicted(t, made, "db_share_percent")
	made.Prediction = &record.Prediction{Question: "How many?", Predicted: 70, Measured: made.Numbers["db_share_percent"]}
	Predicted(t, made, "db_share_percent")
	for _, forge := range []func(*record.Prediction){
		func(p *record.Prediction) { p.Measured = 70 },
		func(p *record.Prediction) { p.Question = "" },
	} {
		forged := *made.Prediction
		forge(&forged)
		wrong := made
		wrong.Prediction = &forged
		require.True(t, try(t, "", func(t testing.TB) { Predicted(t, wrong, "db_share_percent") }).failed)
	}
}
