package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/release"
)

func TestMain(m *testing.M) { check.Main(m, main) }

func TestTheBatchPublishesOneWholeVersion(t *testing.T) {
	step := check.New(t)
	printed := step.Succeed(t, "--day", "2026-10-30")

	rows := check.Number(t, printed, `scored pairs: ([\d,]+) relevant`)
	require.InDelta(t, 277_500, rows, 7_500, "relevant pairs at threshold 0.6")
	require.Contains(t, printed, "validation passed (first version)")
	require.Contains(t, printed, "published: current.json now points at version 2026-10-30")

	bits, hashes := bloom.Size(int(rows), 0.01)
	require.EqualValues(t, bits, check.Number(t, printed, `Bloom filter: ([\d,]+) bits`), "the filter's size follows from its keys")
	require.EqualValues(t, hashes, check.Number(t, printed, `k=(\d+)`))

	build, err := release.At(step.Home.Data()).Pin()
	require.NoError(t, err, "what current.json names is complete, and every checksum matches")
	defer build.Close()
	require.EqualValues(t, rows, build.Manifest.Rows)
}

func TestTheNextDayBecomesAVersionBesideTheFirst(t *testing.T) {
	step := check.New(t)
	first := check.Number(t, step.Succeed(t, "--day", "2026-10-30"), `scored pairs: ([\d,]+)`)
	printed := step.Succeed(t, "--day", "2026-10-31")
	second := check.Number(t, printed, `scored pairs: ([\d,]+)`)

	require.Greater(t, second, first*1.01, "creatives are added daily")
	require.Less(t, second, first*1.03)
	require.Contains(t, printed, "validation passed (live version 2026-10-30 has")
	builds, err := release.At(step.Home.Data()).Builds()
	require.NoError(t, err)
	require.Len(t, builds, 2)
}

func TestPublishingTheSameContentAgainWritesNothing(t *testing.T) {
	step := check.New(t)
	step.Succeed(t, "--day", "2026-10-30")
	before := files(t, step.Home.Data())
	require.Contains(t, step.Succeed(t, "--day", "2026-10-30"), ": nothing written\n")
	require.Equal(t, before, files(t, step.Home.Data()))
}

func TestBrokenDataIsRefusedAndTheLiveVersionStays(t *testing.T) {
	step := check.New(t)
	first := check.Number(t, step.Succeed(t, "--day", "2026-10-30"), `scored pairs: ([\d,]+)`)
	before := files(t, step.Home.Data())

	result := step.Run(t, "--day", "2026-11-01", "--threshold", "0.95")
	require.Equal(t, 1, result.Exit)
	require.Regexp(t, `refusing to publish: row count moved \d+% \([\d,]+ -> [\d,]+\); rerun with --force if that is expected`, result.Stderr)
	require.Equal(t, before, files(t, step.Home.Data()), "a refusal touches nothing")
	left := check.Number(t, result.Stderr, `-> ([\d,]+)\)`)
	require.InDelta(t, 0.02, left/first, 0.01, "the share of the pairs that reach 0.95")

	step.Succeed(t, "--day", "2026-11-01", "--threshold", "0.95", "--force")
	live, err := release.At(step.Home.Data()).Current()
	require.NoError(t, err)
	require.EqualValues(t, "2026-11-01", live.Day)
}

func TestAWrongFlagIsOneClearLineAndStatusTwo(t *testing.T) {
	step := check.New(t)
	for name, args := range map[string][]string{
		"a day that is none":         {"--day", "2026-02-30"},
		"a threshold above one":      {"--threshold", "1.5"},
		"a threshold of zero":        {"--threshold", "0"},
		"a threshold that is no one": {"--threshold", "NaN"},
		"an unknown flag":            {"--dya", "2026-10-30"},
		"a stray argument":           {"2026-10-30"},
		"a seed that is no number":   {"LAB_SEED=x"},
	} {
		t.Run(name, func(t *testing.T) {
			step.Refuse(t, 2, args...)
			require.NoDirExists(t, step.Home.Data(), "wrong use touches nothing")
		})
	}
}

// files lists every file below dir with the time it was written, apart from the lock.
func files(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	found := map[string]time.Time{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "publish.lock" {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			found[path] = info.ModTime()
		}
		return err
	}))
	return found
}
