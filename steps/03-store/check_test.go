package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

func TestMain(m *testing.M) { check.Main(m, main) }

func TestABatchedReadSearchesThePrimaryKeyForEachCreative(t *testing.T) {
	printed := check.New(t).Succeed(t)
	_, plan, found := strings.Cut(printed, "plan of one batched read of two creatives:\n")
	require.True(t, found, printed)
	plan, _, _ = strings.Cut(plan, "\n\n")
	require.Equal(t, 2, strings.Count(plan, "SEARCH scores USING PRIMARY KEY (asin=? AND creative=?)"))
	require.NotContains(t, plan, "SCAN scores", "nothing walks the table")
	require.NotContains(t, plan, "TEMP B-TREE", "nothing is sorted")
}

func TestOneBatchedReadIsFasterThanFiveSingleReads(t *testing.T) {
	step := check.New(t)
	printed := step.Succeed(t)
	require.Greater(t, check.Number(t, printed, `gain +([\d.]+) times`), 1.0)

	made, err := record.Load(step.Home.Results(), "03-store")
	require.NoError(t, err)
	require.Greater(t, made.Numbers["batched_read_gain"], 1.0)
}

func TestVersionsLieSideBySideAndTheLiveOneIsMarked(t *testing.T) {
	step := check.New(t)
	step.Succeed(t)
	_, err := batch.Run(t.Context(), batch.Options{
		Day: world.FirstDay.Next(), Threshold: lab.Threshold, World: world.Default(lab.DefaultSeed), Data: step.Home.Data(),
		Out: &strings.Builder{}, Program: "check",
	})
	require.NoError(t, err)
	printed := step.Succeed(t)
	require.Regexp(t, `(?m)^2026-10-31 .* MiB  live$`, printed)
	require.Regexp(t, `(?m)^2026-10-30 .* MiB$`, printed)
}

func TestTheFileHoldsExactlyThePairsOfTheWorld(t *testing.T) {
	step := check.New(t)
	step.Succeed(t)
	build, err := release.At(step.Home.Data()).Pin()
	require.NoError(t, err)
	defer build.Close()
	db, err := sqlite.Open(build.Path(release.ScoresFile))
	require.NoError(t, err)
	defer db.Close()
	pairs, err := batch.Score(t.Context(), world.New(world.Default(lab.DefaultSeed), world.FirstDay), lab.Threshold)
	require.NoError(t, err)
	count, err := db.Count(t.Context())
	require.NoError(t, err)
	require.Equal(t, pairs.Len(), count)

	w := pairs.World()
	all := make([]string, w.Creatives())
	for creative := range all {
		all[creative] = w.Creative(creative)
	}
	scores := make([]world.Score, len(all))
	for asin := 0; asin < w.ASINs(); asin += 97 {
		want := make([]world.Score, len(all))
		for _, pair := range pairs.Of(asin) {
			want[pair.Creative] = pair.Score
		}
		require.NoError(t, db.Scores(t.Context(), w.ASIN(asin), all, scores))
		require.Equal(t, want, scores, w.ASIN(asin))
	}
}
