package lab_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// answersVariable makes the load of this test's processes check its answers: against the world, or against one in which
// nothing is relevant.
const answersVariable = "LAB_TEST_ANSWERS"

func checked(ctx context.Context, task load.Task) (load.Check, error) {
	switch os.Getenv(answersVariable) {
	case "right":
		return lab.Answers(ctx, task)
	case "wrong":
		task.Threshold = world.MaxScore
		return lab.Answers(ctx, task)
	}
	return func(string, []string, []byte) error { return nil }, nil
}

func TestAVersionIsPublishedUnderLoadAndNobodyNotices(t *testing.T) {
	t.Setenv(answersVariable, "right")
	t.Setenv("CACHE_SIZE", "17") // of the person; it is not the experiment's
	made, _ := stage(t)
	setup, said := brief(6)
	swap, err := made.PublishUnderLoad(t.Context(), setup)
	require.NoError(t, err)
	if swap.After.At == 0 { // the race detector and a busy machine make the batch take ten times as long
		made, err = lab.PrepareDay(t.Context(), world.FirstDay, io.Discard)
		require.NoError(t, err)
		setup, said = brief(60)
		swap, err = made.PublishUnderLoad(t.Context(), setup)
		require.NoError(t, err)
	}
	require.NoError(t, swap.Err())
	require.Contains(t, said.String(), "ignored in your environment: CACHE_SIZE=17")
	require.Contains(t, said.String(), "$ go run ./steps/01-batch --day 2026-10-31\n[2026-10-31] scored pairs: ")
	require.Contains(t, said.String(), "serving version 2026-10-31 (")

	numbers := swap.Numbers()
	require.Zero(t, numbers["errors"])
	require.Equal(t, swap.Report.OK, swap.Report.Versions[world.FirstDay]+swap.Report.Versions[secondDay])
	require.Equal(t, float64(swap.Report.Versions[secondDay]), numbers["answers_new"])
	require.InDelta(t, setup.Load.Duration.Seconds()/3, swap.Publish.BeganAt, 1, "a third of the load is over")
	require.Greater(t, swap.After.At, swap.Publish.BeganAt)
	require.Greater(t, swap.After.At, swap.Before.At)

	t.Run("the phases are apart, and each lookup of each ended in one place", func(t *testing.T) {
		for name, l := range map[string]lab.Layers{
			"before": swap.Before.Layers, "after": swap.After.Layers, "end": swap.End,
		} {
			require.Positive(t, l.Requests, name)
			require.Equal(t, l.Lookups, l.BloomNo+l.CacheHits+l.DBKeys+l.DegradedKeys, name)
		}
		require.EqualValues(t, swap.Report.OK, swap.End.Requests)
	})
	t.Run("the new filter says no to what is relevant no more", func(t *testing.T) {
		require.Equal(t, made.Version.Rows, swap.Pairs.All)
		require.Greater(t, float64(swap.Pairs.Lost+swap.Pairs.Rescored), 0.4*float64(swap.Pairs.All), "pairs that changed")
		before := numbers["before_bloom_share_percent"]
		require.InDelta(t, before+(100-before)*numbers["pairs_lost_percent"]/100, numbers["after_bloom_share_percent"], 3)
	})
	t.Run("it survives its record", func(t *testing.T) {
		_, err := made.RecordSwap("10-live-publish", setup, swap, lab.Guess{})
		require.NoError(t, err)
		read, err := record.Load(made.Home.Results(), "10-live-publish")
		require.NoError(t, err)
		require.Equal(t, numbers, read.Numbers)
		require.EqualValues(t, secondDay, read.Config["next_version"])
		var again lab.Swap
		require.NoError(t, json.Unmarshal(read.Detail, &again))
		require.Equal(t, numbers, again.Numbers())
		style := console.Style{Width: console.PlainWidth}
		require.Equal(t, swap.Seconds(style)+swap.Phases(style), again.Seconds(style)+again.Phases(style))
	})
}

func TestAnswersThatAreWrongAreCountedAndFailTheRun(t *testing.T) {
	t.Setenv(answersVariable, "wrong")
	made, _ := stage(t)
	setup, _ := brief(3)
	swap, err := made.PublishUnderLoad(t.Context(), setup)
	require.NoError(t, err)
	require.ErrorContains(t, swap.Err(), load.WrongAnswer)
	require.Positive(t, swap.Numbers()["wrong_answers"])
	require.Equal(t, swap.Numbers()["errors"], swap.Numbers()["wrong_answers"])
}

func TestALoadThatEndsBeforeTheSwapSaysSo(t *testing.T) {
	made, _ := stage(t)
	setup, said := brief(0.1)
	swap, err := made.PublishUnderLoad(t.Context(), setup)
	require.NoError(t, err)
	require.ErrorContains(t, swap.Err(), "the load was over before the API served 2026-10-31; give more --seconds")
	require.NotContains(t, swap.Numbers(), "swap_at_s")
	require.NotContains(t, swap.Numbers(), "after_bloom_share_percent")
	said.Reset()
	swap.Tell(setup, "nothing to see")
	require.NotContains(t, said.String(), "after it")
	require.Contains(t, said.String(), "-> nothing to see\n")

	live, err := release.At(made.Home.Data()).Current()
	require.NoError(t, err)
	require.Equal(t, secondDay, live.Day, "the batch was waited for")
}

func TestABatchThatCannotPublishFailsTheRunAndTheOldVersionServesOn(t *testing.T) {
	made, _ := stage(t)
	publisher, err := release.At(made.Home.Data()).Lock() // another batch is at work
	require.NoError(t, err)
	defer publisher.Close()
	setup, said := brief(1.5)
	swap, err := made.PublishUnderLoad(t.Context(), setup)
	require.NoError(t, err)
	require.ErrorContains(t, swap.Err(), "the batch for 2026-10-31 ended with exit status 1")
	require.Contains(t, said.String(), "another publisher")
	require.Zero(t, swap.Report.Failed)
	require.Equal(t, swap.Report.OK, swap.Report.Versions[world.FirstDay])
}

func TestAnInterruptionInTheMiddleOfThePublishStopsEverything(t *testing.T) {
	made, _ := stage(t)
	ctx, cancel := context.WithCancel(t.Context())
	setup, _ := brief(6)
	setup.Say = onLine{"[2026-10-31] scored pairs", cancel}
	_, err := made.PublishUnderLoad(ctx, setup)
	require.ErrorIs(t, err, context.Canceled)

	self, err := process.NewProcess(int32(os.Getpid()))
	require.NoError(t, err)
	children, err := self.Children()
	require.NoError(t, err)
	require.Empty(t, children)
	publisher, err := release.At(made.Home.Data()).Lock()
	require.NoError(t, err, "the batch is gone, and its lock with it")
	require.NoError(t, publisher.Close())
	build, err := release.At(made.Home.Data()).Pin()
	require.NoError(t, err, "the live version is whole")
	require.NoError(t, build.Close())
	require.NoDirExists(t, made.Home.Results())
}

// onLine is a writer that does something when a text is written to it.
type onLine struct {
	text string
	do   func()
}

func (w onLine) Write(text []byte) (int, error) {
	if strings.Contains(string(text), w.text) {
		w.do()
	}
	return len(text), nil
}

// seen is a swap as it might have been seen on a small machine.
func seen() lab.Swap {
	layers := func(requests, no, hits, keys, reads int) lab.Layers {
		return lab.Layers{
			Requests: requests, Lookups: 5 * requests, BloomNo: no, CacheHits: hits, DBKeys: keys, DBReads: reads,
		}
	}
	swap := lab.Swap{
		From: world.FirstDay, To: secondDay, Publish: lab.Published{BeganAt: 1.2, EndedAt: 3.6},
		Before:  lab.Sample{At: 3.4, Layers: layers(100, 250, 125, 125, 54)},
		After:   lab.Sample{At: 3.5, Layers: layers(110, 275, 138, 137, 59)},
		Settled: lab.Sample{At: 4.5, Layers: layers(120, 303, 144, 153, 66)},
		End:     layers(210, 555, 248, 247, 110),
		Report: &load.Report{
			OK: 207, Failed: 3, LongestWait: 38.5, Config: load.Config{Duration: 5 * time.Second},
			Versions: map[world.Day]int64{world.FirstDay: 105, secondDay: 102},
			Errors:   []load.ErrorKind{{Kind: "timeout", Count: 2}, {Kind: load.WrongAnswer, Count: 1}},
			Timeline: []load.Second{
				{Second: 1, OK: 60, P99: 8.96}, {Second: 2, OK: 20, P99: 30}, {Second: 3, OK: 10, P99: 20},
				{Second: 4, OK: 27, Errors: 3, P99: 41}, {Second: 5, OK: 80, P99: 7}, {Second: 6, OK: 10, P99: 1},
			},
		},
	}
	return swap
}

func TestTheTablesTellWhatHappenedInEachSecondAndPhase(t *testing.T) {
	style := console.Style{Width: console.PlainWidth}
	require.Equal(t, `second      serves  req/s  p99 ms
     1  2026-10-30     60     9.0  █████████
     2  2026-10-30     20    30.0  ███           batch starts
     3  2026-10-30     10    20.0  ██
     4        both     27    41.0  ████          swap, batch ends, 3 failed
     5  2026-10-31     80     7.0  ████████████
`, seen().Seconds(style))
	require.Equal(t, `                        before  first second       all     change
                      the swap      after it  after it
Bloom said no              50%           56%       56%  +6 points
cache hits                 25%           12%       22%  -3 points
read from db               25%           32%       22%     x 0.88
requests with a read       54%           70%       51%     x 0.94

where lookups ended
before        ░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒█████████████  50/25/25%
first second  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒█████████████████  56/12/32%
after         ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒███████████  56/22/22%
              ░ Bloom said no   ▒ cache hits   █ read from db
`, seen().Phases(style))
}

func TestTheFiguresOfASwapAreThoseOfItsPhases(t *testing.T) {
	numbers := seen().Numbers()
	for name, want := range map[string]float64{
		"requests": 207, "errors": 3, "wrong_answers": 1, "longest_wait_ms": 38.5, "answers_old": 105, "answers_new": 102,
		"swap_at_s": 3.5, "publish_at_s": 1.2, "publish_seconds": 2.4, "publish_exit_status": 0,
		"before_bloom_share_percent": 50, "before_reads_percent": 54, "after_bloom_share_percent": 56,
		"after_cache_share_percent": 22, "after_db_share_percent": 22, "after_reads_percent": 51,
		"first_second_bloom_share_percent": 56, "first_second_cache_share_percent": 12,
		"before_requests_per_second": 60, "during_requests_per_second": 20, "after_requests_per_second": 80,
		"before_latency_p99_ms": 8.96, "during_latency_p99_ms": 30, "after_latency_p99_ms": 7,
	} {
		require.InDelta(t, want, numbers[name], 1e-9, name)
	}

	t.Run("a span without a whole second has none", func(t *testing.T) {
		early := seen()
		early.Publish.BeganAt, early.Publish.EndedAt = 0.5, 4.9
		require.NotContains(t, early.Numbers(), "before_requests_per_second")
		require.Contains(t, early.Numbers(), "during_requests_per_second")
		require.NotContains(t, early.Numbers(), "after_requests_per_second")
	})
	t.Run("the load's failures, a missing version and the batch's status are all told", func(t *testing.T) {
		failed := seen()
		failed.Publish.Exit = 1
		require.EqualError(t, failed.Err(), "3 of 210 requests failed: timeout 2, wrong answer 1\n"+
			"the batch for 2026-10-31 ended with exit status 1")
		none := seen()
		none.Report.Failed, none.Report.Versions = 0, map[world.Day]int64{secondDay: 207}
		require.EqualError(t, none.Err(), "no answer came from 2026-10-30")
	})
}
