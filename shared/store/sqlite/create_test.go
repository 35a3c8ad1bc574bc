package sqlite_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

// create writes rows to a new file and returns its path.
func create(t testing.TB, rows []store.Row) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.db")
	count, err := sqlite.Create(t.Context(), path, slices.Values(rows))
	require.NoError(t, err)
	require.Equal(t, len(rows), count)
	return path
}

// opened opens a file until the test ends.
func opened(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

func TestEveryRowThatWasWrittenIsReadBack(t *testing.T) {
	for _, n := range []int{0, 1, 29, 30, 31, 99, 100, 101, 5000} {
		rows := someRows(100, n)
		db := opened(t, create(t, rows))
		count, err := db.Count(t.Context())
		require.NoError(t, err)
		assert.Equal(t, n, count)
		for _, row := range rows {
			score, found, err := db.One(t.Context(), row.ASIN, row.Creative)
			require.NoError(t, err)
			require.True(t, found, row)
			require.Equal(t, row.Score, score, row)
		}
	}
}

func TestTheSameRowsGiveTheSameBytes(t *testing.T) {
	rows := someRows(300, 8000)
	one, err := os.ReadFile(create(t, rows))
	require.NoError(t, err)
	other, err := os.ReadFile(create(t, rows))
	require.NoError(t, err)
	assert.Equal(t, one, other)
}

func TestTheTableIsItsPrimaryKey(t *testing.T) {
	db := opened(t, create(t, someRows(1, 1)))
	var statement string
	require.NoError(t, db.Gorm().Raw("SELECT sql FROM sqlite_schema WHERE name = 'scores'").Scan(&statement).Error)
	assert.Contains(t, statement, "PRIMARY KEY (`asin`,`creative`)")
	assert.Contains(t, statement, "WITHOUT ROWID")
}

func TestARowThatCannotBeKeptLeavesNoFile(t *testing.T) {
	a, b := store.Row{ASIN: "B1", Creative: "cr-1", Score: 700}, store.Row{ASIN: "B1", Creative: "cr-2", Score: 700}
	for name, rows := range map[string][]store.Row{
		"a pair that comes twice":      {a, a},
		"creatives in the wrong order": {b, a},
		"ASINs in the wrong order":     {{ASIN: "B2", Creative: "cr-0", Score: 700}, a},
		"creatives sorted as numbers": {
			{ASIN: "B1", Creative: "cr-9", Score: 1}, {ASIN: "B1", Creative: "cr-10", Score: 1},
		},
		"a score of more than one":         {{ASIN: "B1", Creative: "cr-1", Score: world.MaxScore + 1}},
		"a late mistake after many rows":   append(someRows(100, 5000), a, b, a),
		"a mistake in the last short part": append(someRows(1, 3), a, a),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scores.db")
			_, err := sqlite.Create(t.Context(), path, slices.Values(rows))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "\n")
			requireEmpty(t, filepath.Dir(path))
		})
	}
}

func TestACancelledWriteLeavesNoFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	rows := someRows(100, 5000)
	path := filepath.Join(t.TempDir(), "scores.db")
	written := 0
	_, err := sqlite.Create(ctx, path, func(yield func(store.Row) bool) {
		for i, row := range rows {
			if i == 2500 {
				cancel(errors.New("Ctrl-C"))
			}
			written = i
			if !yield(row) {
				return
			}
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, written, 2700, "rows were taken long after the end")
	requireEmpty(t, filepath.Dir(path))
}

func TestAPanicWhileRowsAreMadeLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.db")
	var broken iter.Seq[store.Row] = func(yield func(store.Row) bool) {
		yield(store.Row{ASIN: "B1", Creative: "cr-1", Score: 1})
		panic("broken world")
	}
	assert.PanicsWithValue(t, "broken world", func() { _, _ = sqlite.Create(t.Context(), path, broken) })
	requireEmpty(t, filepath.Dir(path))
}

func TestAnExistingFileIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.db")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o644))
	_, err := sqlite.Create(t.Context(), path, slices.Values(someRows(1, 1)))
	require.ErrorIs(t, err, os.ErrExist)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(content))
}

func TestAFolderThatIsMissingIsAnError(t *testing.T) {
	_, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "none", "scores.db"), slices.Values(someRows(1, 1)))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}
