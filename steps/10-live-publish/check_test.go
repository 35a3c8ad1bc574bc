package main

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

const (
	step = "10-live-publish"
	next = world.Day("2026-10-31")

	// longestSilence is how long a connection with a request in flight may stay without its answer, in milliseconds.
	longestSilence = 250
)

func TestMain(m *testing.M) { check.Main(m, main) }

// short is a run that is long enough for a publish in its middle. What it shows does not depend on its length.
var short = []string{"PREDICT=3", "--seconds", "6"}

func TestAPublishUnderLoadDisturbsNobody(t *testing.T) {
	made := check.Recorded(t, step, short...)
	var swap lab.Swap
	require.NoError(t, json.Unmarshal(made.Detail, &swap), "what was seen is part of the record")
	require.NotNil(t, swap.Report, "the report of the load is part of the record")
	report, numbers := swap.Report, made.Numbers

	t.Run("no request failed and no answer was wrong", func(t *testing.T) {
		require.Zero(t, numbers["wrong_answers"], "wrong answers")
		require.Zero(t, report.Failed, "failed requests")
		require.Empty(t, report.Errors, "failed requests, by kind")
		require.Positive(t, report.OK, "requests")
	})
	t.Run("the load, the batch and the server are those of this step", func(t *testing.T) { ofThisStep(t, made, swap) })
	t.Run("both versions were seen, and every answer named one of them", func(t *testing.T) {
		require.Positive(t, report.Versions[swap.From], "answers from the old version")
		require.Positive(t, report.Versions[swap.To], "answers from the new version")
		require.Equal(t, report.OK, report.Versions[swap.From]+report.Versions[swap.To], "answers from either")
		old, inFlight := int(report.Versions[swap.From]), report.Config.Processes*report.Config.Concurrency
		require.GreaterOrEqual(t, old, swap.Before.Layers.Requests-inFlight, "answers from the old version, and its requests")
		require.LessOrEqual(t, old, swap.After.Layers.Requests+inFlight, "answers from the old version, and its requests")
	})
	t.Run("the version changed in the middle of the load, after the batch had begun", func(t *testing.T) {
		require.Zero(t, swap.Publish.Exit, "exit status of the batch")
		require.Len(t, report.Servers, 1, "servers that counted")
		require.EqualValues(t, 1, report.Servers[0].Swaps, "version swaps that the server counted")
		require.Zero(t, report.Servers[0].FailedSwaps, "failed swaps")
		length := report.Config.Duration.Seconds()
		require.InDelta(t, length/3, swap.Publish.BeganAt, 1, "the batch began after a third of the load")
		require.Greater(t, swap.After.At, swap.Publish.BeganAt, "the swap came after the batch had begun")
		require.Less(t, swap.Before.At, swap.After.At, "the old version was read before the new one")
		require.Less(t, swap.After.At, length, "the swap came before the load was over")
		require.EqualValues(t, swap.From, swap.Before.Layers.Version, "version of the last reading before the swap")
		require.EqualValues(t, swap.To, swap.After.Layers.Version, "version of the first reading after the swap")
	})
	t.Run("no connection was silent for 250 ms while a request was in flight", func(t *testing.T) {
		require.Less(t, report.LongestWait, float64(longestSilence),
			"the longest silence, ms; other programs took %.1f cores of this machine", report.CPU.Others)
		require.LessOrEqual(t, report.Latency.Max, report.LongestWait*1.01+0.01,
			"no latency is longer than the longest silence")
	})
	t.Run("the seconds add up to the requests", func(t *testing.T) {
		require.GreaterOrEqual(t, len(report.Timeline), int(report.Config.Duration.Seconds()), "seconds")
		counted := int64(0)
		for i, second := range report.Timeline {
			require.Equal(t, i+1, second.Second, "no second is missing")
			counted += second.OK
		}
		require.Equal(t, report.OK, counted, "requests, and those of all seconds")
	})
	t.Run("every lookup of both phases ended in exactly one place", func(t *testing.T) {
		require.Equal(t, report.OK, int64(swap.End.Requests), "requests of the client and of the server")
		last := 0
		for _, reading := range []struct {
			name   string
			layers lab.Layers
		}{{"before", swap.Before.Layers}, {"after", swap.After.Layers}, {"end", swap.End}} {
			name, l := reading.name, reading.layers
			require.Greater(t, l.Requests, last, "%s: requests, more than in the reading before", name)
			require.Equal(t, l.Lookups, l.BloomNo+l.CacheHits+l.DBKeys+l.DegradedKeys,
				"%s: lookups = bloom_no + cache_hits + db_keys + degraded_keys", name)
			require.Equal(t, 5*l.Requests, l.Lookups, "%s: lookups = 5 x requests", name)
			require.LessOrEqual(t, l.DBReads, l.Requests, "%s: at most one batched read a request", name)
			last = l.Requests
		}
	})
	t.Run("the record's numbers are those of what was seen", func(t *testing.T) {
		for name, value := range swap.Numbers() {
			require.Contains(t, numbers, name, "numbers of the record")
			require.InDelta(t, value, numbers[name], 1e-9*(1+math.Abs(value)), "the record's %s", name)
		}
		require.Len(t, numbers, len(swap.Numbers()), "numbers of the record, all of which were measured")
		check.Predicted(t, made, "errors")
	})
	if t.Failed() {
		return // what follows takes a second, and Prove runs all of this many times
	}
	t.Run("before the swap the shares are the baseline's, and after it the filter says no more often", func(t *testing.T) {
		before, after := numbers["before_bloom_share_percent"], numbers["after_bloom_share_percent"]
		require.InDelta(t, 50, before, 3, "before: Bloom said no, percent")
		require.InDelta(t, 25, numbers["before_cache_share_percent"], 5, "before: cache hits, percent")
		require.InDelta(t, 25, numbers["before_db_share_percent"], 5, "before: read from db, percent")
		// Of what the callers ask for as relevant, the filter now refuses what is so no more.
		require.Equal(t, moved(t, swap), swap.Pairs, "what became of the pairs, by the worlds of the seed")
		require.Greater(t, swap.Pairs.Lost+swap.Pairs.Rescored, swap.Pairs.All*4/10, "pairs that changed")
		want := before + (100-before)*numbers["pairs_lost_percent"]/100
		require.InDelta(t, want, after, 3, "after: Bloom said no, percent; with all that is relevant no more")
	})

	check.Prove(t, made, map[string]func(*record.Record){
		"what was seen is left out":                func(r *record.Record) { r.Detail = nil },
		"an `errors` count that is not of the run": func(r *record.Record) { r.Numbers["errors"] = 3 },
		"`failed requests`": reseen(func(s *lab.Swap) {
			s.Report.Failed, s.Report.Errors = 1, []load.ErrorKind{{Kind: "timeout", Count: 1}}
		}),
		"`wrong answers`": reseen(func(s *lab.Swap) {
			s.Report.Failed, s.Report.Errors = 1, []load.ErrorKind{{Kind: load.WrongAnswer, Count: 1}}
		}),
		"only one version seen, `answers from the new version`": reseen(func(s *lab.Swap) {
			s.Report.Versions = map[world.Day]int64{s.From: s.Report.OK}
		}),
		"an answer of a third version, `answers from either`": reseen(func(s *lab.Swap) {
			s.Report.Versions[s.To]--
			s.Report.Versions["2026-11-01"] = 1
		}),
		"answers from the old version after its time, `its requests`": reseen(func(s *lab.Swap) {
			s.Report.Versions[s.From] += s.Report.Versions[s.To] - 1
			s.Report.Versions[s.To] = 1
		}),
		"300 ms without an answer, `the longest silence`":      reseen(func(s *lab.Swap) { s.Report.LongestWait = 300 }),
		"a silence that no latency agrees with, `no latency`":  reseen(func(s *lab.Swap) { s.Report.LongestWait = 0.001 }),
		"shares that were edited, `before_db_share_percent`":   edited("before_db_share_percent"),
		"shares that were edited, `after_bloom_share_percent`": edited("after_bloom_share_percent"),
		"`lookups = bloom_no` no more":                         reseen(func(s *lab.Swap) { s.After.Layers.DBKeys++ }),
		"`requests of the client and of the server` differ": reseen(func(s *lab.Swap) {
			s.End.Requests, s.End.Lookups, s.End.BloomNo = s.End.Requests+1, s.End.Lookups+5, s.End.BloomNo+5
		}),
		"a filter that was not swapped, `with all that is relevant no more`": reseen(func(s *lab.Swap) {
			after := s.After.Layers
			lookups := s.End.Lookups - after.Lookups
			s.End.CacheHits += s.End.BloomNo - after.BloomNo - lookups/2
			s.End.BloomNo = after.BloomNo + lookups/2
		}),
		"pairs that the worlds do not have, `worlds of the seed`": reseen(func(s *lab.Swap) { s.Pairs.Lost = 1 }),
		"no swap, `version swaps`": reseen(func(s *lab.Swap) {
			s.Report.Servers[0].Swaps = 0
		}),
		"a swap that was not seen, `the swap came after`":         reseen(func(s *lab.Swap) { s.After.At = 0 }),
		"a batch that was refused, `exit status`":                 reseen(func(s *lab.Swap) { s.Publish.Exit = 1 }),
		"a timeline that does not add up, `those of all seconds`": reseen(func(s *lab.Swap) { s.Report.Timeline[0].OK-- }),
		"a timeline with a gap, `no second is missing`": reseen(func(s *lab.Swap) {
			s.Report.Timeline[1].Second++
		}),
		"another server, `the server's settings`": reseen(func(s *lab.Swap) {
			s.Report.Servers[0].Settings.Bloom = false
		}),
		"another batch, `the batch that ran`":           reseen(func(s *lab.Swap) { s.Publish.Command += " --force" }),
		"another load, `the load's concurrency`":        func(r *record.Record) { r.Config["concurrency"] = 1 },
		"a number left out":                             func(r *record.Record) { delete(r.Numbers, "swap_at_s") },
		"a number of nothing, `all of which`":           func(r *record.Record) { r.Numbers["luck"] = 1 },
		"another day, `the version that was published`": reseen(func(s *lab.Swap) { s.To = "2026-11-01" }),
		"a prediction beside another number":            func(r *record.Record) { r.Prediction.Measured = 5 },
	})
}

// ofThisStep holds what was around the publish to the record, and to a server that nobody changed.
func ofThisStep(t *testing.T, made record.Record, swap lab.Swap) {
	t.Helper()
	require.Equal(t, world.FirstDay, swap.From, "the version that was live at the start")
	require.Equal(t, next, swap.To, "the version that was published")
	require.EqualValues(t, swap.From, made.Config["version"], "the version that was live, as the record names it")
	require.EqualValues(t, swap.To, made.Config["next_version"], "the version that was published, as the record names it")
	require.Equal(t, lab.Publish{Day: next}.Command(), swap.Publish.Command, "the batch that ran")
	config := swap.Report.Config
	for name, value := range map[string]float64{
		"seconds": config.Duration.Seconds(), "seed": float64(config.Seed), "processes": float64(config.Processes),
		"concurrency": float64(config.Concurrency), "warmup": float64(config.Warmup), "rate": config.Rate,
	} {
		require.Equal(t, made.Config[name], value, "the load's %s, as the record names it", name)
	}
	defaults := service.Default()
	require.Len(t, swap.Report.Servers, 1, "servers that counted")
	require.Equal(t, load.Settings{
		Bloom: true, CacheSize: defaults.CacheSize, DBBudgetMillis: defaults.DBBudget.Milliseconds(),
	}, swap.Report.Servers[0].Settings, "the server's settings")
}

// moved compares the worlds of both days, pair by pair.
func moved(t *testing.T, swap lab.Swap) (moved lab.Moved) {
	t.Helper()
	scores := func(day world.Day) map[[2]string]world.Score {
		pairs, err := batch.Score(t.Context(), world.New(world.Default(swap.Report.Config.Seed), day), lab.Threshold)
		require.NoError(t, err)
		all := make(map[[2]string]world.Score, pairs.Len())
		for row := range pairs.Rows() {
			all[[2]string{row.ASIN, row.Creative}] = row.Score
		}
		return all
	}
	before, after := scores(swap.From), scores(swap.To)
	moved.All = len(before)
	for pair, score := range before {
		switch now, relevant := after[pair]; {
		case !relevant:
			moved.Lost++
		case now != score:
			moved.Rescored++
		}
	}
	return moved
}

// edited is a forgery of one number.
func edited(number string) func(*record.Record) {
	return func(r *record.Record) { r.Numbers[number]-- }
}

// reseen is a forgery of what was seen, with numbers that agree with it.
func reseen(change func(*lab.Swap)) func(*record.Record) {
	return func(r *record.Record) {
		var swap lab.Swap
		if err := json.Unmarshal(r.Detail, &swap); err != nil {
			panic(err)
		}
		change(&swap)
		r.Detail, _ = json.Marshal(swap)
		r.Numbers = swap.Numbers()
	}
}

func TestTheStepShowsTheSecondsAroundTheSwap(t *testing.T) {
	program, result := check.Ran(t, short...)
	require.Zero(t, result.Exit, result.Stderr)
	check.Readable(t, result.Stdout)
	at := -1
	for _, line := range []string{
		"Predict: How many requests fail", "you say 3 requests\n", "the API runs as a process of its own on http://127.0.",
		"$ go run ./steps/01-batch --day 2026-10-31\n",
		"[2026-10-31] published: current.json now points at version 2026-10-31",
		"requests: ", "versions seen: 2026-10-30 in ", "second ", "batch starts", "the swap", "where lookups ended",
		"-> 0 of ", "you predicted 3 requests, measured: 0 requests", "why: ", "recorded in results/step-10.json",
	} {
		next := strings.Index(result.Stdout, line)
		require.Greater(t, next, at, "%q, in:\n%s", line, result.Stdout)
		at = next
	}
	require.Equal(t, 2, strings.Count(result.Stdout, "\nserving version "), "the API says what it serves")
	live, err := release.At(program.Home.Data()).Current()
	require.NoError(t, err)
	require.Equal(t, next, live.Day)
}

func TestItRunsAgainAndALoadThatEndsBeforeTheSwapFails(t *testing.T) {
	program, _ := check.Ran(t, short...) // leaves the next day live; the step goes back to the first by itself
	result := program.Run(t, "--seconds", "0.3", "--warmup", "0", "--json")
	require.Equal(t, 1, result.Exit)
	require.Contains(t, result.Stderr, "moving back from 2026-10-31")
	require.Contains(t, result.Stderr, "the load was over before the API served 2026-10-31; give more --seconds")
	var made record.Record
	require.NoError(t, json.Unmarshal([]byte(result.Stdout), &made), "with --json stdout is the record alone")
	kept, err := record.Load(program.Home.Results(), step)
	require.NoError(t, err)
	require.Equal(t, kept.Numbers, made.Numbers)
}

func TestWrongUseTouchesNothing(t *testing.T) {
	program := check.New(t)
	for _, args := range [][]string{
		{"PREDICT=none"}, {"LAB_SEED=x"}, {"--seconds", "0"}, {"--port", "70000"}, {"--processes", "0"},
		{"--day", "2026-10-31"}, {"more"},
	} {
		program.Refuse(t, 2, args...)
	}
	entries, err := os.ReadDir(string(program.Home))
	require.NoError(t, err)
	require.Empty(t, entries)
}
