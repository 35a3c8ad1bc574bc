package release_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// describe makes the manifest of a version whose files hold the given text.
func describe(day world.Day, text string) release.Manifest {
	sum := sha256.Sum256([]byte(text))
	fingerprint := hex.EncodeToString(sum[:])
	return release.Manifest{
		Day: day, Rows: 1 + len(text), Threshold: 600, Seed: 42, World: fingerprint, Content: fingerprint,
		Filter: release.Filter{Bits: 10, Hashes: 7}, Program: "test",
	}
}

// publish publishes a version whose files hold the given text, as the batch does.
func publish(t testing.TB, dir release.Dir, day world.Day, text string) release.Manifest {
	t.Helper()
	publisher, err := dir.Lock()
	require.NoError(t, err)
	manifest, err := commit(publisher, describe(day, text), text)
	require.NoError(t, err)
	_, err = publisher.Prune()
	require.NoError(t, err)
	require.NoError(t, publisher.Close())
	return manifest
}

func commit(publisher *release.Publisher, m release.Manifest, text string) (release.Manifest, error) {
	stage, err := publisher.Stage()
	if err != nil {
		return m, err
	}
	for _, name := range []string{release.ScoresFile, release.FilterFile} {
		if err := os.WriteFile(filepath.Join(stage, name), []byte(name+": "+text), 0o644); err != nil {
			return m, err
		}
	}
	return publisher.Commit(m)
}

// tree lists every file below a folder with its content, and every folder.
func tree(t testing.TB, root string) map[string]string {
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			found[path] = ""
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		found[path] = fmt.Sprint(info.ModTime(), " ", string(content))
		if entry.Name() == "publish.lock" {
			found[path] = "" // says who worked last
		}
		return err
	}))
	return found
}

// strays lists what should not be there when no publisher is at work.
func strays(t testing.TB, data string) []string {
	allowed := regexp.MustCompile(`^(|current\.json|publish\.lock|versions` +
		`|versions/[0-9-]{10}-[0-9a-f]{8}(|/scores\.db|/bloom\.bin|/manifest\.json))$`)
	var found []string
	for path := range tree(t, data) {
		relative := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(path, data)), "/")
		if !allowed.MatchString(relative) {
			found = append(found, relative)
		}
	}
	return found
}

func TestWhatIsPublishedIsLiveAndWhole(t *testing.T) {
	data := filepath.Join(t.TempDir(), "not", "there", "yet")
	dir := release.At(data)
	_, err := dir.Current()
	require.ErrorIs(t, err, release.ErrNoVersion)
	_, err = dir.Pin()
	require.ErrorIs(t, err, release.ErrNoVersion)
	require.EqualError(t, err, "no data version loaded yet; publish one with: go run ./steps/01-batch")

	published := publish(t, dir, "2026-10-30", "first")
	live, err := dir.Current()
	require.NoError(t, err)
	assert.Equal(t, published, live)
	pinned, err := dir.Pin()
	require.NoError(t, err)
	assert.Equal(t, published, pinned.Manifest)
	content, err := os.ReadFile(pinned.Path(release.ScoresFile))
	require.NoError(t, err)
	assert.Equal(t, "scores.db: first", string(content))
	require.NoError(t, pinned.Close())
	require.NoError(t, pinned.Close(), "closing again does nothing")

	pointer, err := os.ReadFile(filepath.Join(data, "current.json"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"day":"2026-10-30","build":"`+live.Build+`"}`, string(pointer))
	assert.Empty(t, strays(t, data))
}

func TestPublishingIdenticalContentAgainWritesNothing(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	first := publish(t, dir, "2026-10-30", "same")
	before := tree(t, filepath.Join(data, "versions"))
	assert.Equal(t, first, publish(t, dir, "2026-10-30", "same"))
	assert.Equal(t, before, tree(t, filepath.Join(data, "versions")))

	publish(t, dir, "2026-10-31", "next")
	publisher, err := dir.Lock()
	require.NoError(t, err)
	defer publisher.Close()
	stored, found, err := publisher.Find(describe("2026-10-30", "same"))
	require.NoError(t, err)
	require.True(t, found)
	require.NoError(t, publisher.Point(stored))
	live, err := dir.Current()
	require.NoError(t, err)
	assert.Equal(t, first, live)
}

func TestABuildThatCannotBeReadJustNowIsNotTakenForDamaged(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may read every file")
	}
	data := t.TempDir()
	dir := release.At(data)
	live := publish(t, dir, "2026-10-30", "same")
	unreadable := filepath.Join(data, "versions", live.Build, release.ScoresFile)
	require.NoError(t, os.Chmod(unreadable, 0))
	publisher, err := dir.Lock()
	require.NoError(t, err)
	defer publisher.Close()
	_, _, err = publisher.Find(describe("2026-10-30", "same"))
	require.ErrorIs(t, err, os.ErrPermission)
	require.FileExists(t, unreadable)
}

func TestOtherContentOfADayIsAnotherBuildBesideTheFirst(t *testing.T) {
	dir := release.At(t.TempDir())
	first := publish(t, dir, "2026-10-30", "first")
	pinned, err := dir.Pin()
	require.NoError(t, err)
	defer pinned.Close()
	second := publish(t, dir, "2026-10-30", "second")
	assert.NotEqual(t, first.Build, second.Build)
	builds, err := dir.Builds()
	require.NoError(t, err)
	assert.Equal(t, []release.Manifest{second, first}, builds)
	content, err := os.ReadFile(pinned.Path(release.FilterFile))
	require.NoError(t, err)
	assert.Equal(t, "bloom.bin: first", string(content))
}

func TestADamagedBuildIsWrittenAgainByPublishingItsContent(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	first := publish(t, dir, "2026-10-30", "first")
	filter := filepath.Join(data, "versions", first.Build, release.FilterFile)
	require.NoError(t, os.WriteFile(filter, []byte("no"), 0o644))
	_, err := dir.Pin()
	require.ErrorIs(t, err, release.ErrDamaged)
	publish(t, dir, "2026-10-30", "first")
	pinned, err := dir.Pin()
	require.NoError(t, err)
	require.NoError(t, pinned.Close())
	assert.Empty(t, strays(t, data))
}

func TestTheSecondOfTwoPublishersIsToldWhoTheFirstIs(t *testing.T) {
	dir := release.At(t.TempDir())
	first, err := dir.Lock()
	require.NoError(t, err)
	_, err = dir.Lock()
	require.ErrorIs(t, err, release.ErrLocked)
	assert.Regexp(t, fmt.Sprintf(`^another publisher is at work \(process %d, since \d\d:\d\d:\d\d\) in .*; wait until`,
		os.Getpid()), err.Error())
	require.NoError(t, first.Close())
	second, err := dir.Lock()
	require.NoError(t, err)
	require.NoError(t, second.Close())
}

func TestThePublisherRemovesWhatAKilledOneLeft(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	live := publish(t, dir, "2026-10-30", "first")
	require.NoError(t, os.MkdirAll(filepath.Join(data, "versions", ".tmp-123", "deep"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(data, "versions", ".tmp-123", "scores.db"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(data, ".current.json4711"), []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(data, "notes.txt"), []byte("a person's own"), 0o600))
	require.NotEmpty(t, strays(t, data))

	publisher, err := dir.Lock()
	require.NoError(t, err)
	require.NoError(t, publisher.Close())
	assert.Equal(t, []string{"notes.txt"}, strays(t, data))
	now, err := dir.Current()
	require.NoError(t, err)
	assert.Equal(t, live, now)
}

func TestAPublishThatFailsLeavesNothing(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	publish(t, dir, "2026-10-30", "first")
	before := tree(t, data)
	for name, fail := range map[string]func(*release.Publisher) error{
		"a file is missing": func(p *release.Publisher) error {
			_, err := p.Stage()
			require.NoError(t, err)
			_, err = p.Commit(describe("2026-10-31", "next"))
			return err
		},
		"the manifest is not whole": func(p *release.Publisher) error {
			m := describe("2026-10-31", "next")
			m.Content = ""
			_, err := commit(p, m, "next")
			return err
		},
		"there is no stage": func(p *release.Publisher) error {
			_, err := p.Commit(describe("2026-10-31", "next"))
			return err
		},
	} {
		publisher, err := dir.Lock()
		require.NoError(t, err)
		assert.Error(t, fail(publisher), name)
		require.NoError(t, publisher.Close())
		assert.Equal(t, before, tree(t, data), name)
	}
}

func TestTheOrderOfBuildsSurvivesAClockThatWasSetBack(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	first := publish(t, dir, "2026-10-30", "first")
	first.PublishedAt = time.Now().UTC().AddDate(1, 0, 0)
	manifest := filepath.Join(data, "versions", first.Build, release.ManifestFile)
	require.NoError(t, os.WriteFile(manifest, text(t, first), 0o644))

	second := publish(t, dir, "2026-10-31", "second")
	assert.True(t, second.PublishedAt.After(first.PublishedAt))
	back, err := dir.Rollback("")
	require.NoError(t, err)
	assert.Equal(t, first.Build, back.Build)
}
