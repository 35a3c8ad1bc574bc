package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/world"
)

// smallTask is a run in a world of a hundred ASINs.
func smallTask() load.Task {
	config := world.Default(DefaultSeed)
	config.ASINs, config.Creatives = 100, 50
	return load.Task{World: config, Day: world.FirstDay, Threshold: Threshold}
}

// asked is an ASIN, three creatives of which two are relevant to it in the first version, and the right answers of both
// versions, which differ.
func asked(t testing.TB, task load.Task) (asin string, creatives []string, first, second string) {
	t.Helper()
	pairs, err := batch.Score(t.Context(), world.New(task.World, task.Day), task.Threshold)
	require.NoError(t, err)
	next, err := batch.Score(t.Context(), world.New(task.World, task.Day.Next()), task.Threshold)
	require.NoError(t, err)
	w := pairs.World()
	for product := range w.ASINs() {
		of := pairs.Of(product)
		if len(of) < 2 {
			continue
		}
		creatives = []string{w.Creative(int(of[0].Creative)), w.Creative(int(of[1].Creative)), stranger(pairs, product)}
		asin = w.ASIN(product)
		first = string(newTruth(pairs).appendAnswer(nil, asin, creatives))
		second = string(newTruth(next).appendAnswer(nil, asin, creatives))
		if strings.Replace(first, "2026-10-30", "2026-10-31", 1) != second {
			return asin, creatives, first, second
		}
	}
	require.Fail(t, "no pair of this world changes")
	return
}

// stranger is a creative that is not relevant to the product.
func stranger(pairs *batch.Pairs, product int) string {
	relevant := map[int32]bool{}
	for _, pair := range pairs.Of(product) {
		relevant[pair.Creative] = true
	}
	for creative := range int32(pairs.World().Creatives()) {
		if !relevant[creative] {
			return pairs.World().Creative(int(creative))
		}
	}
	return ""
}

func TestAnAnswerIsHeldToTheWorldOfTheVersionThatItNames(t *testing.T) {
	task := smallTask()
	check, err := Answers(t.Context(), task)
	require.NoError(t, err)
	asin, creatives, first, second := asked(t, task)
	require.Regexp(t, `^{"version":"2026-10-30","scores":{"cr-\d+":[01]\.\d+,"cr-\d+":0\.\d+,"cr-\d+":0\.0}}$`, first)
	_, score, _ := strings.Cut(first, creatives[0]+`":`)
	score, _, _ = strings.Cut(score, ",")
	respaced := strings.ReplaceAll(first, ":", ": ") + "\n"

	for name, right := range map[string]string{
		"of the version that is live at the start": first,
		"of the next one":                          second,
		"with the text laid out in another way":    respaced,
		"degraded, and nothing is missing":         strings.Replace(first, "}}", `},"degraded":true}`, 1),
		"degraded, and a score is missing": strings.Replace(strings.Replace(first, score+",", "0.0,", 1), "}}",
			`},"degraded":true}`, 1),
	} {
		require.NoError(t, check(asin, creatives, []byte(right)), name)
	}
	for name, wrong := range map[string]struct{ body, told string }{
		"a score of the next version under the first one's name": {
			strings.Replace(second, "2026-10-31", "2026-10-30", 1), "in version 2026-10-30 it is "},
		"a score of the first version under the next one's name": {
			strings.Replace(first, "2026-10-30", "2026-10-31", 1), "in version 2026-10-31 it is "},
		"a relevant creative without its score": {strings.Replace(first, score+",", "0.0,", 1), "0.0 for " + asin},
		"a score for what is not relevant":      {strings.Replace(first, ":0.0}}", ":0.7}}", 1), "0.7 for " + asin},
		"a wrong score in a degraded answer": {
			strings.Replace(first, ":0.0}}", `:0.7},"degraded":true}`, 1), "0.7 for " + asin},
		"a version that nobody published": {strings.Replace(first, "2026-10-30", "2026-11-01", 1), "2026-11-01"},
		"a creative left out": {
			strings.Replace(first, `,"`+creatives[2]+`":0.0`, "", 1), "2 scores for 3 creatives"},
		"a creative that was not asked": {
			strings.Replace(first, creatives[2], "cr-strange", 1), "no score for " + creatives[2]},
		"a score above one": {strings.Replace(first, score+",", "1.5,", 1), "not a number between 0 and 1"},
		"half an answer":    {first[:len(first)/2], "unexpected end"},
		"nothing":           {"", "unexpected end"},
		"null":              {"null", "names version"},
	} {
		require.ErrorContains(t, check(asin, creatives, []byte(wrong.body)), wrong.told, name)
	}
}

func TestWhatIsUnknownHasNoScore(t *testing.T) {
	check, err := Answers(t.Context(), smallTask())
	require.NoError(t, err)
	require.NoError(t, check("B-unknown", []string{"cr-1"}, []byte(`{"version":"2026-10-30","scores":{"cr-1":0.0}}`)))
	require.Error(t, check("B-unknown", []string{"cr-1"}, []byte(`{"version":"2026-10-30","scores":{"cr-1":0.9}}`)))
}

func TestCheckingARightAnswerAllocatesNothing(t *testing.T) {
	task := smallTask()
	check, err := Answers(t.Context(), task)
	require.NoError(t, err)
	asin, creatives, first, _ := asked(t, task)
	body := []byte(first)
	require.Zero(t, testing.AllocsPerRun(100, func() { require.NoError(t, check(asin, creatives, body)) }))
}

// BenchmarkAnAnswerIsChecked compares the two ways to find an answer right, for five creatives in the world of the
// lessons.
func BenchmarkAnAnswerIsChecked(b *testing.B) {
	task := load.Task{World: world.Default(DefaultSeed), Day: world.FirstDay, Threshold: Threshold}
	pairs, err := batch.Score(b.Context(), world.New(task.World, task.Day), task.Threshold)
	require.NoError(b, err)
	traffic, err := load.NewTraffic(pairs, DefaultSeed)
	require.NoError(b, err)
	known := truths{newTruth(pairs)}
	var request load.Request
	traffic.Stream(0, 0).Next(&request)
	asin, creatives := traffic.Names(&request)
	body := known[0].appendAnswer(nil, asin, creatives)
	for name, check := range map[string]load.Check{"as text": known.check, "decoded": known.judge} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := check(asin, creatives, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
