package sqlite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

func TestABatchedReadAnswersInTheOrderAsked(t *testing.T) {
	db := opened(t, create(t, []store.Row{
		{ASIN: "B1", Creative: "cr-1", Score: 601},
		{ASIN: "B1", Creative: "cr-2", Score: world.MaxScore},
		{ASIN: "B2", Creative: "cr-1", Score: 777},
	}))
	for name, c := range map[string]struct {
		asin      string
		creatives []string
		want      []world.Score
	}{
		"known ones, last first":        {"B1", []string{"cr-2", "cr-1"}, []world.Score{1000, 601}},
		"another ASIN's own score":      {"B2", []string{"cr-2", "cr-1"}, []world.Score{0, 777}},
		"one that is asked three times": {"B1", []string{"cr-1", "cr-1", "cr-9", "cr-1"}, []world.Score{601, 601, 0, 601}},
		"nobody knows the ASIN":         {"B3", []string{"cr-1", "cr-2"}, []world.Score{0, 0}},
		"an empty list":                 {"B1", nil, []world.Score{}},
		"nine, which is rounded up":     {"B1", strings.Fields("a b c d e f g h cr-1"), append(make([]world.Score, 8), 601)},
	} {
		t.Run(name, func(t *testing.T) {
			into := make([]world.Score, len(c.creatives))
			for i := range into {
				into[i] = 999 // what an earlier request left
			}
			require.NoError(t, db.Scores(t.Context(), c.asin, c.creatives, into))
			assert.Equal(t, c.want, into)
		})
	}
}

func TestIdsMayHoldAnyBytes(t *testing.T) {
	ids := []string{
		"", "'", `"`, "';DROP TABLE scores;--", "?1", ":a", "%", "a\x00", "a\x00b", "\x00", "\xff\xfe", "é", "\u202e",
		strings.Repeat("x", 1<<16), "cr-1 ", " cr-1", "CR-1", "cr-1",
	}
	slices.Sort(ids)
	var rows []store.Row
	for i, asin := range ids {
		for j, creative := range ids {
			if (i+j)%2 == 0 {
				rows = append(rows, store.Row{ASIN: asin, Creative: creative, Score: world.Score(1 + i*len(ids) + j)})
			}
		}
	}
	db := opened(t, create(t, rows))
	into := make([]world.Score, len(ids))
	for i, asin := range ids {
		require.NoError(t, db.Scores(t.Context(), asin, ids, into))
		for j := range ids {
			want := world.Score(0)
			if (i+j)%2 == 0 {
				want = world.Score(1 + i*len(ids) + j)
			}
			assert.Equal(t, want, into[j], "%.20q %.20q", asin, ids[j])
		}
	}
}

// The model is a map: whatever is asked, in whatever number, the file answers as the map does.
func TestTheFileAnswersAsAMapWould(t *testing.T) {
	rows := someRows(50, 20_000)
	model := map[[2]string]world.Score{}
	for _, row := range rows {
		model[[2]string{row.ASIN, row.Creative}] = row.Score
	}
	db := opened(t, create(t, rows))
	draw := rand.New(rand.NewPCG(5, 6))
	for n := range 520 {
		asin := fmt.Sprintf("B%09d", draw.IntN(52))
		creatives := make([]string, n)
		want := make([]world.Score, n)
		for i := range creatives {
			creatives[i] = fmt.Sprintf("cr-%d", draw.IntN(1100))
			want[i] = model[[2]string{asin, creatives[i]}]
		}
		into := make([]world.Score, n)
		require.NoError(t, db.Scores(t.Context(), asin, creatives, into))
		require.Equal(t, want, into, "%d creatives of %s", n, asin)
	}
}

func TestEveryScoreComesBackExactly(t *testing.T) {
	rows := make([]store.Row, world.MaxScore+1)
	creatives := make([]string, len(rows))
	for i := range rows {
		creatives[i] = fmt.Sprintf("cr-%04d", i)
		rows[i] = store.Row{ASIN: "B1", Creative: creatives[i], Score: world.Score(i)}
	}
	db := opened(t, create(t, rows))
	into := make([]world.Score, len(rows))
	require.NoError(t, db.Scores(t.Context(), "B1", creatives, into))
	for i := range into {
		assert.Equal(t, world.Score(i), into[i])
	}
}

func TestManyGoroutinesReadAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	rows := someRows(50, 2_000)
	db, err := sqlite.Open(create(t, rows))
	require.NoError(t, err)
	var readers sync.WaitGroup
	for worker := range 64 {
		readers.Go(func() {
			into := make([]world.Score, 3)
			for i := range 100 {
				row := rows[(worker*31+i)%len(rows)]
				creatives := []string{"none", row.Creative, row.Creative}
				if !assert.NoError(t, db.Scores(t.Context(), row.ASIN, creatives, into)) ||
					!assert.Equal(t, []world.Score{0, row.Score, row.Score}, into) {
					return
				}
			}
		})
	}
	readers.Wait()
	require.NoError(t, db.Close())
}

func TestAContextThatHasEndedReadsNothing(t *testing.T) {
	db := opened(t, create(t, someRows(1, 1)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 { // a free reader must not win against the end, not even sometimes
		require.ErrorIs(t, db.Scores(ctx, "B1", []string{"cr-1"}, make([]world.Score, 1)), context.Canceled)
	}
	_, err := db.Count(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, sqlite.ErrDamaged)
}

func TestABatchedReadSearchesByPrimaryKey(t *testing.T) {
	db := opened(t, create(t, someRows(1, 10)))
	plan, err := db.Plan(t.Context(), sqlite.BatchedRead(3), "B1", "cr-1", "cr-2", "cr-3")
	require.NoError(t, err)
	search := "SEARCH scores USING PRIMARY KEY (asin=? AND creative=?)"
	assert.Equal(t, 3, strings.Count(strings.Join(plan, "\n"), search), plan)
	assert.NotContains(t, strings.Join(plan, "\n"), "SCAN scores")
}

func TestNothingCanBeWrittenThroughAnOpenVersion(t *testing.T) {
	path := create(t, someRows(1, 10))
	db := opened(t, path)
	assert.Error(t, db.Gorm().Exec("DELETE FROM scores").Error)
	count, err := db.Count(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 10, count)
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{path}, beside)
}
