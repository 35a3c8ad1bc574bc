package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

func openedWithOneRow(t *testing.T) *DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.db")
	rows := []store.Row{{ASIN: "B1", Creative: "cr-1", Score: 700}}
	_, err := Create(t.Context(), path, slices.Values(rows))
	require.NoError(t, err)
	db, err := Open(path)
	require.NoError(t, err)
	return db
}

func TestAReadWaitsForAFreeReaderNoLongerThanItsContextLasts(t *testing.T) {
	db := openedWithOneRow(t)
	defer db.Close()
	var taken []*reader
	for range cap(db.readers.free) {
		r, err := db.readers.take(t.Context())
		require.NoError(t, err)
		taken = append(taken, r)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	into := make([]world.Score, 1)
	require.ErrorIs(t, db.Scores(ctx, "B1", []string{"cr-1"}, into), context.DeadlineExceeded)

	for _, r := range taken {
		db.readers.give(r)
	}
	require.NoError(t, db.Scores(t.Context(), "B1", []string{"cr-1"}, into))
	assert.Equal(t, []world.Score{700}, into)
}

func TestAReaderThatCannotBeOpenedIsTriedAgain(t *testing.T) {
	db := openedWithOneRow(t)
	defer db.Close()
	moved := db.path + ".moved"
	require.NoError(t, db.sql.Close()) // so that Windows lets the file be moved
	require.NoError(t, os.Rename(db.path, moved))
	into := make([]world.Score, 1)
	for range 2 * cap(db.readers.free) {
		require.ErrorIs(t, db.Scores(t.Context(), "B1", []string{"cr-1"}, into), ErrDamaged)
	}
	require.NoError(t, os.Rename(moved, db.path))
	require.NoError(t, db.Scores(t.Context(), "B1", []string{"cr-1"}, into))
}

func TestAClosedVersionHoldsNoFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are listed in /proc/self/fd")
	}
	db := openedWithOneRow(t)
	for range cap(db.readers.free) {
		require.NoError(t, db.Scores(t.Context(), "B1", []string{"cr-1"}, make([]world.Score, 1)))
	}
	require.NotZero(t, openFiles(t, db.path))
	require.NoError(t, db.Close())
	require.Zero(t, openFiles(t, db.path))
}

func openFiles(t *testing.T, path string) (count int) {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, descriptor := range descriptors {
		target, err := os.Readlink("/proc/self/fd/" + descriptor.Name())
		if err == nil && strings.HasPrefix(target, path) {
			count++
		}
	}
	return count
}
