package lab_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// asTold is a story that came out as it should.
func asTold() lab.BadPublish {
	before := lab.Moment{Live: "a", Builds: []string{"a"}, Served: secondDay, Rows: 1000, Answer: `{"scores":{"cr-1":0.9,"cr-2":0.8}}`}
	forced := lab.Moment{Live: "b", Builds: []string{"b", "a"}, Served: brokenDay, Rows: 20, Answer: `{"scores":{"cr-1":0.0,"cr-2":0.0}}`}
	back := before
	back.Builds = forced.Builds
	return lab.BadPublish{
		Before: before, Refused: before, Forced: forced, Back: back, Exit: 1, PairsLost: 990,
		Said: "[2026-11-01] scored pairs: 20 relevant (ASIN, creative) pairs in 0.0s\n" +
			"refusing to publish: row count moved 98% (1,000 -> 20); rerun with --force if that is expected\n",
	}
}

func TestAStoryThatCameOutAsToldIsNoError(t *testing.T) {
	story := asTold()
	require.NoError(t, story.Err())
	require.Equal(t, map[string]float64{
		"moved_percent": 98, "rows_live": 1000, "rows_refused": 20, "exit_status": 1, "live_unchanged": 1,
		"rows_forced": 20, "pairs_lost": 990, "scores_before": 2, "scores_forced": 0, "scores_back": 2, "answer_back": 1,
	}, story.Numbers())
	require.Contains(t, story.AfterRefusal(), "nothing moved")
	require.Equal(t, "-> 2 of these 2 scores are gone, with 990 of all 1,000 relevant pairs", story.AfterForce())
}

func TestAStoryThatCameOutOtherwiseSaysWhere(t *testing.T) {
	for says, change := range map[string]func(*lab.BadPublish){
		"ended with exit status 3":                 func(b *lab.BadPublish) { b.Exit = 3 },
		"did not refuse because of the row count":  func(b *lab.BadPublish) { b.Said = "refusing to publish: it comes twice\n" },
		"did not stay as it was in act 1":          func(b *lab.BadPublish) { b.Refused.Builds = []string{"c", "a"} },
		"with --force the batch ended with exit":   func(b *lab.BadPublish) { b.ForcedExit = 1 },
		"with --force the live version did not":    func(b *lab.BadPublish) { b.Forced.Live = "a" },
		"the broken version answers no worse":      func(b *lab.BadPublish) { b.Forced.Answer = b.Before.Answer },
		"after the rollback another build is live": func(b *lab.BadPublish) { b.Back.Live = "b" },
		"the answer is not the one from before":    func(b *lab.BadPublish) { b.Back.Answer = "what is this" },
		"the gate let the broken data through": func(b *lab.BadPublish) {
			b.Exit, b.Refused = 0, b.Forced
		},
	} {
		story := asTold()
		change(&story)
		require.ErrorContains(t, story.Err(), says)
	}
}

func TestTheVersionIsRestoredWithTheCommandThatAPersonWouldNeed(t *testing.T) {
	made, _ := stage(t)
	var out strings.Builder
	require.NoError(t, made.Restore(&out))
	require.Empty(t, out.String(), "it is live: nothing to do, nothing to say")

	publish := func(p lab.Publish) {
		t.Helper()
		exit, err := made.Publish(t.Context(), p, io.Discard)
		require.NoError(t, err)
		require.Zero(t, exit)
	}
	restore := func() string {
		t.Helper()
		out.Reset()
		require.NoError(t, made.Restore(&out))
		live, err := release.At(made.Home.Data()).Current()
		require.NoError(t, err)
		require.Equal(t, made.Version.Build, live.Build)
		return out.String()
	}
	publish(lab.Publish{Day: secondDay})
	require.Contains(t, restore(), "$ go run ./shared/cmd/rollback\n"+
		"rolled back: current.json now points at version 2026-10-30 ")
	publish(lab.Publish{Day: world.Day("2026-11-01")})
	require.Contains(t, restore(), "$ go run ./shared/cmd/rollback --to "+made.Version.Build+"\nrolled back: ",
		"2026-10-31 was published between them")
}

func TestTheQuestionIsAboutWhatIsLost(t *testing.T) {
	made, _ := stage(t)
	loss, err := made.Loss(t.Context(), broken)
	require.NoError(t, err)
	require.Len(t, loss.Question.Creatives, 3)
	pairs, err := made.Pairs(t.Context())
	require.NoError(t, err)
	require.InDelta(t, 0.98*float64(pairs.Len()), loss.Pairs, 0.01*float64(pairs.Len()))

	_, err = made.Loss(t.Context(), lab.Publish{Day: world.FirstDay})
	require.ErrorContains(t, err, "choose a higher threshold", "the same data loses nothing")
}
