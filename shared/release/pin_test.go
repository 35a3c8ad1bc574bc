package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
)

func TestADamagedVersionIsRefusedWithTheNameOfTheFile(t *testing.T) {
	saying := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
	}
	emptied := func(path string) error { return os.Truncate(path, 0) }
	for name, damage := range map[string]struct {
		file string
		do   func(path string) error
	}{
		"the database has other bytes": {"versions/BUILD/scores.db", saying("scores.db: fjrst")},
		"the database is cut short":    {"versions/BUILD/scores.db", emptied},
		"the database is gone":         {"versions/BUILD/scores.db", os.Remove},
		"the filter is cut short":      {"versions/BUILD/bloom.bin", emptied},
		"the filter is gone":           {"versions/BUILD/bloom.bin", os.Remove},
		"the manifest is empty":        {"versions/BUILD/manifest.json", emptied},
		"the manifest is gone":         {"versions/BUILD/manifest.json", os.Remove},
		"the build is gone":            {"versions/BUILD", os.RemoveAll},
		"current.json is empty":        {"current.json", emptied},
		"current.json is a story":      {"current.json", saying("once")},
		"current.json is huge":         {"current.json", saying(strings.Repeat("{", 1<<20))},
		"current.json leads out of the folder": {"current.json", func(path string) error {
			return os.WriteFile(path, []byte(`{"day":"2026-10-30","build":"2026-10-30-/../../"}`), 0o644)
		}},
		"current.json has two minds": {"current.json", func(path string) error {
			return os.WriteFile(path, []byte(`{"day":"2026-10-31","build":"2026-10-30-00000000"}`), 0o644)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			dir := release.At(data)
			live := publish(t, dir, "2026-10-30", "first")
			path := filepath.Join(data, strings.Replace(filepath.FromSlash(damage.file), "BUILD", live.Build, 1))
			require.NoError(t, damage.do(path))

			_, err := dir.Pin()
			require.ErrorIs(t, err, release.ErrDamaged)
			assert.ErrorContains(t, err, path)
			assert.ErrorContains(t, err, "go run ./shared/cmd/rollback")
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestAnotherBuildsManifestDoesNotPass(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	first := publish(t, dir, "2026-10-30", "first")
	second := publish(t, dir, "2026-10-30", "second")
	other, err := os.ReadFile(filepath.Join(data, "versions", first.Build, release.ManifestFile))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(data, "versions", second.Build, release.ManifestFile), other, 0o644))
	_, err = dir.Pin()
	require.ErrorIs(t, err, release.ErrDamaged)
}

func TestReadersAlwaysFindAWholeVersionWhilePublishersWork(t *testing.T) {
	dir := release.At(t.TempDir())
	publish(t, dir, "2026-10-30", "0")
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				build, err := dir.Pin()
				if !assert.NoError(t, err) {
					return
				}
				content, err := os.ReadFile(build.Path(release.FilterFile))
				assert.NoError(t, err)
				assert.Equal(t, build.Manifest.Rows, 1+len(content)-len("bloom.bin: "))
				assert.NoError(t, build.Close())
			}
		})
	}
	for i := range 30 { // new content each time, so that old builds are removed all the while
		publish(t, dir, "2026-10-30", fmt.Sprintf("%0*d", 1+i%7, i))
	}
	close(done)
	readers.Wait()
}
