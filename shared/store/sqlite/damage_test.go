package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

func TestAFileThatIsNotTheDatabaseIsRefusedWithARemedy(t *testing.T) {
	defer goleak.VerifyNone(t)
	whole, err := os.ReadFile(create(t, someRows(50, 2_000)))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		content []byte
		reason  string
	}{
		"an empty file":           {[]byte{}, "it has only 0 bytes"},
		"a short file":            {whole[:99], "it has only 99 bytes"},
		"another kind of file":    {slices.Repeat([]byte("not a database\n"), 100), "it is not an SQLite file"},
		"cut short by a page":     {whole[:len(whole)-8192], "its header says"},
		"cut short within a page": {whole[:len(whole)-1], "its header says"},
		"only the header":         {whole[:100], "it has 100 bytes and its header says"},
		"longer than it says":     {append(slices.Clone(whole), 0), "its header says"},
		"a first page of rubbish": {slices.Concat(whole[:100], slices.Repeat([]byte{0xa5}, 8092), whole[8192:]), ""},
		"no pages by its header":  {slices.Concat(whole[:28], []byte{0, 0, 0, 0}, whole[32:]), "its header says 0"},
		"pages of three bytes":    {slices.Concat(whole[:16], []byte{0, 3}, whole[18:]), "its header says"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scores.db")
			require.NoError(t, os.WriteFile(path, c.content, 0o644))
			_, err := sqlite.Open(path)
			requireRemedy(t, err, path)
			assert.ErrorIs(t, err, sqlite.ErrDamaged)
			assert.Contains(t, err.Error(), c.reason)
		})
	}
	t.Run("no file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "scores.db")
		_, err := sqlite.Open(path)
		requireRemedy(t, err, path)
		assert.ErrorIs(t, err, os.ErrNotExist)
		requireEmpty(t, filepath.Dir(path))
	})
	t.Run("a folder", func(t *testing.T) {
		path := t.TempDir()
		_, err := sqlite.Open(path)
		require.Error(t, err)
		if runtime.GOOS != "windows" {
			requireRemedy(t, err, path)
		}
	})
}

func TestADatabaseOfSomethingElseIsRefused(t *testing.T) {
	for name, statement := range map[string]string{
		"no table":       "CREATE TABLE other (asin TEXT)",
		"another column": "CREATE TABLE scores (asin TEXT, creative TEXT, points REAL)",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scores.db")
			execute(t, path, statement)
			_, err := sqlite.Open(path)
			requireRemedy(t, err, path)
		})
	}
}

func TestAScoreOutOfRangeIsAnErrorAndNoAnswer(t *testing.T) {
	for _, value := range []string{"1.5", "-0.1", "9e999", "'high'", "x'00'"} {
		path := create(t, someRows(1, 1))
		execute(t, path, "UPDATE scores SET score = "+value)
		db := opened(t, path)
		row := someRows(1, 1)[0]
		err := db.Scores(t.Context(), row.ASIN, []string{row.Creative}, make([]world.Score, 1))
		requireRemedy(t, err, path)
	}
}

func TestADamagedPageIsAnErrorWhenItIsRead(t *testing.T) {
	rows := someRows(100, 5_000)
	path := create(t, rows)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 2 * 8192; i < len(whole); i++ {
		whole[i] = 0xff
	}
	require.NoError(t, os.WriteFile(path, whole, 0o644))
	db, err := sqlite.Open(path)
	if err != nil {
		requireRemedy(t, err, path)
		return
	}
	defer db.Close()
	err = db.Scores(t.Context(), rows[0].ASIN, []string{rows[0].Creative}, make([]world.Score, 1))
	requireRemedy(t, err, path)
}

func TestAPathMayHoldAnyCharacter(t *testing.T) {
	for _, folder := range []string{
		"with space", "per%20cent", "hash#tag", "ask?mode=memory", "ünïcode-日本", "plus+and&=;,@!$'()",
	} {
		if runtime.GOOS == "windows" && folder == "ask?mode=memory" {
			continue // no such name there
		}
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), folder)
			require.NoError(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "scores?x=1#%41.db")
			if runtime.GOOS == "windows" {
				path = filepath.Join(dir, "scores#%41.db")
			}
			rows := someRows(3, 50)
			_, err := sqlite.Create(t.Context(), path, slices.Values(rows))
			require.NoError(t, err)
			require.FileExists(t, path)
			db := opened(t, path)
			count, err := db.Count(t.Context())
			require.NoError(t, err)
			assert.Equal(t, 50, count)
			_, found, err := db.One(t.Context(), rows[0].ASIN, rows[0].Creative)
			require.NoError(t, err)
			assert.True(t, found)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			assert.Len(t, entries, 1)
		})
	}
}

func TestARelativePathIsFoundFromTheWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := sqlite.Create(t.Context(), "scores.db", slices.Values(someRows(1, 1)))
	require.NoError(t, err)
	require.FileExists(t, "scores.db")
	opened(t, "scores.db")
}

// execute changes a file the way somebody with SQLite at hand would.
func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open(sql.Drivers()[0], path)
	require.NoError(t, err)
	_, err = db.Exec(statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func requireRemedy(t *testing.T, err error, path string) {
	t.Helper()
	require.Error(t, err)
	assert.Contains(t, err.Error(), path)
	assert.Contains(t, err.Error(), "publish this day again with: go run ./steps/01-batch --day")
	assert.NotContains(t, err.Error(), "\n")
}
