package release_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
)

func live(t testing.TB, dir release.Dir) string {
	manifest, err := dir.Current()
	require.NoError(t, err)
	return manifest.Build
}

func TestRollingBackAgainGoesFurtherBackUntilThereIsNothing(t *testing.T) {
	dir := release.At(t.TempDir())
	first := publish(t, dir, "2026-10-30", "first").Build
	second := publish(t, dir, "2026-10-31", "second").Build
	publish(t, dir, "2026-11-01", "third")

	for _, want := range []string{second, first} {
		target, err := dir.Rollback("")
		require.NoError(t, err)
		assert.Equal(t, want, target.Build)
		assert.Equal(t, want, live(t, dir))
	}
	_, err := dir.Rollback("")
	require.ErrorContains(t, err, "no kept build was published before the live one, "+first)
	assert.ErrorContains(t, err, "--to")
	assert.Equal(t, first, live(t, dir))
}

func TestRollbackGoesToANamedBuildOrToTheLastOneOfADay(t *testing.T) {
	dir := release.At(t.TempDir())
	first := publish(t, dir, "2026-10-30", "first").Build
	second := publish(t, dir, "2026-10-30", "second").Build
	third := publish(t, dir, "2026-10-31", "third").Build
	for _, step := range [][2]string{{first, first}, {"2026-10-30", second}, {third, third}, {third, third}} {
		_, err := dir.Rollback(step[0])
		require.NoError(t, err)
		assert.Equal(t, step[1], live(t, dir))
	}
	for _, unknown := range []string{"2026-10-29", "2026-10-30-00000000", "../versions/" + first} {
		_, err := dir.Rollback(unknown)
		require.ErrorContains(t, err, "no kept build is named")
		assert.ErrorContains(t, err, first)
	}
	assert.Equal(t, third, live(t, dir))
}

func TestRollbackRefusesADamagedBuildAndStaysWhereItIs(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	first := publish(t, dir, "2026-10-30", "first").Build
	second := publish(t, dir, "2026-10-31", "second").Build
	path := filepath.Join(data, "versions", first, release.ScoresFile)
	require.NoError(t, os.Truncate(path, 3))
	_, err := dir.Rollback("")
	require.ErrorIs(t, err, release.ErrDamaged)
	assert.ErrorContains(t, err, path)
	assert.Equal(t, second, live(t, dir))
}

func TestRollbackIsTheWayOutOfADamagedPointer(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	publish(t, dir, "2026-10-30", "first")
	second := publish(t, dir, "2026-10-31", "second").Build
	require.NoError(t, os.WriteFile(filepath.Join(data, "current.json"), []byte("???"), 0o644))
	_, err := dir.Rollback("")
	require.NoError(t, err)
	assert.Equal(t, second, live(t, dir))
}

func TestRollbackOfNothingSaysHowToPublish(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, to := range []string{"", "2026-10-30"} {
		_, err := release.At(data).Rollback(to)
		require.ErrorIs(t, err, release.ErrNoVersion)
	}
	assert.NoDirExists(t, data)
}
