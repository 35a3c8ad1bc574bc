//go:build !windows

package release_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
)

func TestANamedPipeInPlaceOfAFileIsRefusedAndNotWaitedFor(t *testing.T) {
	for _, name := range []string{"current.json", release.ManifestFile, release.ScoresFile, release.FilterFile} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			dir := release.At(data)
			live := publish(t, dir, "2026-10-30", "first")
			path := filepath.Join(data, "versions", live.Build, name)
			if name == "current.json" {
				path = filepath.Join(data, name)
			}
			require.NoError(t, os.Remove(path))
			require.NoError(t, syscall.Mkfifo(path, 0o644))

			ended := make(chan error, 1)
			go func() {
				_, err := dir.Pin()
				ended <- err
			}()
			select {
			case err := <-ended:
				require.ErrorIs(t, err, release.ErrDamaged)
				require.ErrorContains(t, err, name)
			case <-time.After(10 * time.Second):
				require.Fail(t, "pinning waits for the pipe's writer")
			}
			publish(t, dir, "2026-10-31", "next")
			pinned, err := dir.Pin()
			require.NoError(t, err)
			require.NoError(t, pinned.Close())
		})
	}
}
