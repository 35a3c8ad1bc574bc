package batch_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

// small is a world whose batch takes milliseconds.
func small() world.Config { return world.Config{Seed: 42, ASINs: 400, Categories: 10, Creatives: 80} }

// lines runs the batch and returns its lines with the times taken out.
func lines(t *testing.T, o batch.Options) ([]string, release.Manifest, error) {
	t.Helper()
	var out bytes.Buffer
	o.Out, o.World, o.Program = &out, small(), "test"
	if o.Threshold == 0 {
		o.Threshold = 600
	}
	manifest, err := batch.Run(t.Context(), o)
	text := regexp.MustCompile(`\d+\.\ds\b`).ReplaceAllString(strings.TrimSuffix(out.String(), "\n"), "#s")
	return strings.Split(text, "\n"), manifest, err
}

func published(t *testing.T, o batch.Options) []string {
	t.Helper()
	lines, _, err := lines(t, o)
	require.NoError(t, err)
	return lines
}

func TestTheFirstRunPrintsTheFiveLines(t *testing.T) {
	data := t.TempDir()
	said, manifest, err := lines(t, batch.Options{Day: "2026-10-30", Data: data})
	require.NoError(t, err)
	require.Len(t, said, 5)
	assert.Regexp(t, `^\[2026-10-30\] scored pairs: [\d,]+ relevant \(ASIN, creative\) pairs in #s$`, said[0])
	assert.Equal(t, "[2026-10-30] validation passed (first version)", said[1])
	assert.Regexp(t, `^\[2026-10-30\] Bloom filter: [\d,]+ bits \(\d+ KiB\), k=7$`, said[2])
	assert.Regexp(t, `^\[2026-10-30\] wrote [\d,]+ rows to sqlite in #s$`, said[3])
	assert.Equal(t, "[2026-10-30] published: current.json now points at version 2026-10-30", said[4])

	live, err := release.At(data).Current()
	require.NoError(t, err)
	assert.Equal(t, live, manifest)
	assert.Equal(t, "test", live.Program)
	assert.EqualValues(t, 600, live.Threshold)
}

func TestThePublishedVersionHoldsExactlyTheScoredPairs(t *testing.T) {
	data := t.TempDir()
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	pairs, err := batch.Score(t.Context(), world.New(small(), "2026-10-30"), 600)
	require.NoError(t, err)
	build, err := release.At(data).Pin()
	require.NoError(t, err)
	defer build.Close()
	assert.Equal(t, pairs.Len(), build.Manifest.Rows)
	assert.Equal(t, pairs.Fingerprint(), build.Manifest.Content)
	assert.Equal(t, pairs.World().Fingerprint(), build.Manifest.World)

	filter, err := bloom.Load(build.Path(release.FilterFile))
	require.NoError(t, err)
	assert.Equal(t, pairs.Len(), filter.Keys())
	bits, hashes := bloom.Size(pairs.Len(), 0.01)
	assert.Equal(t, release.Filter{Bits: bits, Hashes: hashes}, build.Manifest.Filter)
	db, err := sqlite.Open(build.Path(release.ScoresFile))
	require.NoError(t, err)
	defer db.Close()
	count, err := db.Count(t.Context())
	require.NoError(t, err)
	assert.Equal(t, pairs.Len(), count)
	for row := range pairs.Rows() {
		require.True(t, filter.Has(row.ASIN, row.Creative))
		score, found, err := db.One(t.Context(), row.ASIN, row.Creative)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, row.Score, score)
	}
}

func TestTheNextDayIsComparedWithTheLiveOne(t *testing.T) {
	data := t.TempDir()
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	said := published(t, batch.Options{Day: "2026-10-31", Data: data})
	assert.Regexp(t, `^\[2026-10-31\] validation passed \(live version 2026-10-30 has [\d,]+ rows\)$`, said[1])
	assert.Equal(t, "[2026-10-31] published: current.json now points at version 2026-10-31", said[4])
}

func TestIdenticalContentIsSaidToBeThereAlready(t *testing.T) {
	data := t.TempDir()
	_, manifest, err := lines(t, batch.Options{Day: "2026-10-30", Data: data})
	require.NoError(t, err)
	before := tree(t, data)
	said := published(t, batch.Options{Day: "2026-10-30", Data: data})
	assert.Equal(t, []string{
		"[2026-10-30] identical content is stored as build " + manifest.Build + ": nothing written",
		"[2026-10-30] published: current.json already points at version 2026-10-30",
	}, said[2:])
	assert.Equal(t, before, tree(t, data))
}

func TestAnOlderDayIsSaidToMoveBack(t *testing.T) {
	data := t.TempDir()
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	published(t, batch.Options{Day: "2026-10-31", Data: data})
	said := published(t, batch.Options{Day: "2026-10-30", Data: data})
	assert.Equal(t, "[2026-10-30] published: current.json now points at version 2026-10-30, moving back from 2026-10-31",
		said[len(said)-1])
	said = published(t, batch.Options{Day: "2026-10-29", Data: data})
	assert.Equal(t, "[2026-10-29] published: current.json now points at version 2026-10-29, moving back from 2026-10-30",
		said[len(said)-1])
}

func TestRowsThatMovedTooFarAreRefusedAndNothingIsTouched(t *testing.T) {
	data := t.TempDir()
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	before := tree(t, data)
	said, _, err := lines(t, batch.Options{Day: "2026-10-31", Threshold: 950, Data: data})
	require.ErrorIs(t, err, batch.ErrRefused)
	assert.Regexp(t, `^refusing to publish: row count moved \d\d% \([\d,]+ -> \d+\); rerun with --force if that is expected$`,
		err.Error())
	assert.Len(t, said, 1)
	assert.Equal(t, before, tree(t, data))

	said = published(t, batch.Options{Day: "2026-10-31", Threshold: 950, Data: data, Force: true})
	assert.Regexp(t, `^\[2026-10-31\] validation overridden by --force: row count moved \d\d% \([\d,]+ -> \d+\)$`, said[1])
}

func TestTheLimitOfTheMoveIsAnOption(t *testing.T) {
	data := t.TempDir()
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	_, _, err := lines(t, batch.Options{Day: "2026-10-31", Data: data, MaxMove: 0.0001})
	require.ErrorIs(t, err, batch.ErrRefused)
	published(t, batch.Options{Day: "2026-10-31", Threshold: 950, Data: data, MaxMove: 0.999})
}

func TestALiveVersionThatCannotBeToldNeedsForce(t *testing.T) {
	data := t.TempDir()
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	pointer := filepath.Join(data, "current.json")
	require.NoError(t, os.WriteFile(pointer, []byte("?"), 0o644))
	_, _, err := lines(t, batch.Options{Day: "2026-10-31", Data: data})
	require.ErrorIs(t, err, batch.ErrRefused)
	assert.ErrorContains(t, err, pointer)
	assert.ErrorContains(t, err, "--force")
	published(t, batch.Options{Day: "2026-10-31", Data: data, Force: true})
	build, err := release.At(data).Pin()
	require.NoError(t, err)
	require.NoError(t, build.Close())
}

// interrupter cancels a run as soon as it has said a number of lines.
type interrupter struct {
	after  int
	cancel context.CancelFunc
}

func (i *interrupter) Write(line []byte) (int, error) {
	if i.after--; i.after == 0 {
		i.cancel()
	}
	return len(line), nil
}

func TestAnInterruptedRunLeavesNothingHalfWritten(t *testing.T) {
	for after := 1; after <= 4; after++ {
		data := t.TempDir()
		published(t, batch.Options{Day: "2026-10-30", Data: data})
		before := tree(t, data)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := batch.Run(ctx, batch.Options{Day: "2026-10-31", Threshold: 600, World: small(), Data: data,
			Out: &interrupter{after, cancel}})
		require.ErrorIs(t, err, context.Canceled, "after %d lines", after)
		assert.Equal(t, before, tree(t, data), "after %d lines", after)
	}
}

func TestAnInterruptedFirstRunLeavesNoVersion(t *testing.T) {
	data := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := batch.Run(ctx, batch.Options{Day: "2026-10-30", Threshold: 600, World: small(), Data: data, Out: io.Discard})
	require.ErrorIs(t, err, context.Canceled)
	_, err = release.At(data).Current()
	require.ErrorIs(t, err, release.ErrNoVersion)
	assert.Empty(t, strays(t, data))
}

// tree maps every path below a folder to its content. The lock file's says who worked last and is left out.
func tree(t testing.TB, root string) map[string]string {
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "publish.lock" {
			found[path] = ""
			return err
		}
		content, err := os.ReadFile(path)
		found[path] = string(content)
		return err
	}))
	return found
}

// strays lists what should not be in a data folder while nobody publishes.
func strays(t testing.TB, data string) []string {
	allowed := regexp.MustCompile(`^(|/current\.json|/publish\.lock|/versions` +
		`|/versions/[0-9-]{10}-[0-9a-f]{8}(|/scores\.db|/bloom\.bin|/manifest\.json))$`)
	var found []string
	for path := range tree(t, data) {
		if relative := filepath.ToSlash(strings.TrimPrefix(path, data)); !allowed.MatchString(relative) {
			found = append(found, relative)
		}
	}
	return found
}
