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
	assert.ErrorContains(t, err, "--to (make rollback TO=…); kept are "+second+", "+first)
	assert.Equal(t, second, live(t, dir))
}

func TestRollbackIsTheWayOutWhereTheLiveBuildCannotBeTold(t *testing.T) {
	for name, trouble := range map[string]struct {
		make func(t *testing.T, data, live string)
		says string
	}{
		"a damaged pointer": {func(t *testing.T, data, _ string) {
			require.NoError(t, os.WriteFile(filepath.Join(data, "current.json"), []byte("???"), 0o644))
		}, "current.json is damaged"},
		"a missing pointer": {func(t *testing.T, data, _ string) {
			require.NoError(t, os.Remove(filepath.Join(data, "current.json")))
		}, "current.json is missing"},
		"a live build that is gone": {func(t *testing.T, data, live string) {
			require.NoError(t, os.RemoveAll(filepath.Join(data, "versions", live)))
		}, "which is gone or damaged"},
		"a live build without its manifest": {func(t *testing.T, data, live string) {
			require.NoError(t, os.Remove(filepath.Join(data, "versions", live, release.ManifestFile)))
		}, "which is gone or damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			dir := release.At(data)
			first := publish(t, dir, "2026-10-30", "first").Build
			second := publish(t, dir, "2026-10-31", "second").Build
			third := publish(t, dir, "2026-11-01", "third").Build
			trouble.make(t, data, third)
			require.NoError(t, os.Truncate(filepath.Join(data, "versions", second, release.FilterFile), 3))
			if _, err := os.Stat(filepath.Join(data, "versions", third, release.ManifestFile)); err == nil {
				require.NoError(t, os.Truncate(filepath.Join(data, "versions", third, release.ScoresFile), 3))
			}
			target, err := dir.Rollback("")
			require.NoError(t, err)
			assert.Equal(t, first, target.Build, "the last one that is whole")
			assert.Equal(t, first, live(t, dir))
			assert.Contains(t, target.String(), trouble.says)
			assert.Contains(t, target.String(), "TO=")
			assert.Contains(t, target.String(), first)
			assert.Regexp(t, `\nrolled back: current.json now points at version 2026-10-30 \(build `+first+
				`, [\d,]+ rows\)$`, target.String())
		})
	}
	t.Run("and a named build is taken without a word", func(t *testing.T) {
		data := t.TempDir()
		dir := release.At(data)
		first := publish(t, dir, "2026-10-30", "first").Build
		publish(t, dir, "2026-10-31", "second")
		require.NoError(t, os.Remove(filepath.Join(data, "current.json")))
		target, err := dir.Rollback(first)
		require.NoError(t, err)
		assert.Empty(t, target.Doubt)
		assert.Equal(t, first, live(t, dir))
	})
	t.Run("where every build is damaged, none is made live", func(t *testing.T) {
		data := t.TempDir()
		dir := release.At(data)
		only := publish(t, dir, "2026-10-30", "first").Build
		require.NoError(t, os.Remove(filepath.Join(data, "current.json")))
		require.NoError(t, os.Truncate(filepath.Join(data, "versions", only, release.ScoresFile), 3))
		_, err := dir.Rollback("")
		require.ErrorIs(t, err, release.ErrDamaged)
		_, err = os.Stat(filepath.Join(data, "current.json"))
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}

func TestRollbackOfNothingSaysHowToPublish(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, to := range []string{"", "2026-10-30"} {
		_, err := release.At(data).Rollback(to)
		require.ErrorIs(t, err, release.ErrNoVersion)
	}
	assert.NoDirExists(t, data)
}
