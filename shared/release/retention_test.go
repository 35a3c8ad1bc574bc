package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
)

func names(t testing.TB, dir release.Dir) []string {
	builds, err := dir.Builds()
	require.NoError(t, err)
	var names []string
	for _, build := range builds {
		names = append(names, build.Build)
	}
	return names
}

func TestThreeBuildsAreKept(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	var all []string
	for i := range 6 {
		all = append([]string{publish(t, dir, "2026-10-30", fmt.Sprint(i)).Build}, all...)
		assert.Equal(t, all[:min(3, len(all))], names(t, dir))
	}
	assert.Empty(t, strays(t, data))
}

func TestABuildInUseIsNeverRemoved(t *testing.T) {
	dir := release.At(t.TempDir())
	first := publish(t, dir, "2026-10-30", "first")
	one, err := dir.Pin()
	require.NoError(t, err)
	two, err := dir.Pin()
	require.NoError(t, err)
	for i := range 5 {
		publish(t, dir, "2026-10-31", fmt.Sprint(i))
	}
	require.NoError(t, two.Close())
	publish(t, dir, "2026-10-31", "more")
	assert.Contains(t, names(t, dir), first.Build, "one of two readers is left")
	assert.Len(t, names(t, dir), release.Kept+1)
	_, err = os.ReadFile(one.Path(release.ScoresFile))
	require.NoError(t, err)

	require.NoError(t, one.Close())
	publish(t, dir, "2026-10-31", "still more")
	assert.NotContains(t, names(t, dir), first.Build)
}

func TestTheLiveBuildIsKeptHoweverOldItIs(t *testing.T) {
	dir := release.At(t.TempDir())
	first := publish(t, dir, "2026-10-30", "first")
	pinned, err := dir.Pin() // until three others are there
	require.NoError(t, err)
	for i := range release.Kept {
		publish(t, dir, "2026-10-31", fmt.Sprint(i))
	}
	_, err = dir.Rollback(first.Build)
	require.NoError(t, err)
	require.NoError(t, pinned.Close())

	publisher, err := dir.Lock()
	require.NoError(t, err)
	defer publisher.Close()
	removed, err := publisher.Prune()
	require.NoError(t, err)
	assert.Empty(t, removed)
	assert.Contains(t, names(t, dir), first.Build)
}

func TestAFolderWithAnUnreadableManifestIsRemovedAndAStrangersFolderIsNot(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	broken := publish(t, dir, "2026-10-30", "first").Build
	publish(t, dir, "2026-10-31", "second")
	require.NoError(t, os.Truncate(filepath.Join(data, "versions", broken, release.ManifestFile), 10))
	bare := filepath.Join(data, "versions", "2026-10-29-00000000")
	mine := filepath.Join(data, "versions", "my backup")
	require.NoError(t, os.Mkdir(bare, 0o755))
	require.NoError(t, os.Mkdir(mine, 0o755))

	publish(t, dir, "2026-11-01", "third")
	assert.NoDirExists(t, filepath.Join(data, "versions", broken))
	assert.NoDirExists(t, bare)
	assert.DirExists(t, mine)
}
