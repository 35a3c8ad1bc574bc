package batch_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/release"
)

// mount makes a file system of so many bytes that ends with the test.
func mount(t *testing.T, options string) string {
	path := t.TempDir()
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, options); err != nil {
		t.Skipf("this test needs the right to mount a small file system (run it as root): %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(path, 0)) })
	return path
}

// fill leaves about so many bytes of a file system free.
func fill(t *testing.T, path string, free int64) {
	require.NoError(t, os.RemoveAll(path))
	ballast, err := os.Create(path)
	require.NoError(t, err)
	defer ballast.Close()
	for {
		if _, err = ballast.Write(make([]byte, 4096)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	info, err := ballast.Stat()
	require.NoError(t, err)
	require.NoError(t, ballast.Truncate(info.Size()-free))
}

func TestAFullDiskIsOneClearLineWhicheverWriteMeetsIt(t *testing.T) {
	home := mount(t, "size=2m")
	data := filepath.Join(home, "data")
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	dir := release.At(data)
	first, err := dir.Current()
	require.NoError(t, err)

	failed := 0
	for free := int64(0); ; free += 4096 {
		fill(t, filepath.Join(home, "ballast"), free)
		_, _, err := lines(t, batch.Options{Day: "2026-10-31", Data: data})
		if err == nil {
			break
		}
		failed++
		require.Regexp(t, `^the disk is full: .*; free some space for .* and run this again$`, err.Error())
		require.NotContains(t, err.Error(), "\n")
		require.Empty(t, strays(t, data))
		build, err := dir.Pin()
		require.NoError(t, err)
		require.Equal(t, first, build.Manifest)
		require.NoError(t, build.Close())
	}
	assert.Greater(t, failed, 10, "the disk was full too seldom")
	live, err := dir.Current()
	require.NoError(t, err)
	assert.EqualValues(t, "2026-10-31", live.Day)
}

func TestAFullDiskBeforeTheFirstPublishIsOneClearLine(t *testing.T) {
	home := mount(t, "size=64k")
	fill(t, filepath.Join(home, "ballast"), 0)
	_, _, err := lines(t, batch.Options{Day: "2026-10-30", Data: filepath.Join(home, "data")})
	require.ErrorContains(t, err, "the disk is full")
}

func TestAReadOnlyDataFolderIsOneClearLineForPublishersAndNoneForReaders(t *testing.T) {
	home := mount(t, "size=8m")
	data := filepath.Join(home, "data")
	published(t, batch.Options{Day: "2026-10-30", Data: data})
	published(t, batch.Options{Day: "2026-10-31", Data: data})
	require.NoError(t, syscall.Mount("tmpfs", home, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))

	_, _, err := lines(t, batch.Options{Day: "2026-11-01", Data: data})
	require.ErrorIs(t, err, syscall.EROFS)
	assert.Regexp(t, `^the data folder cannot be written: .*; make .* writable, or set LAB_HOME`, err.Error())
	assert.NotContains(t, err.Error(), "\n")
	_, err = release.At(data).Rollback("")
	require.ErrorIs(t, err, syscall.EROFS)
	_, _, err = lines(t, batch.Options{Day: "2026-11-01", Data: filepath.Join(home, "other")})
	require.ErrorIs(t, err, syscall.EROFS)

	build, err := release.At(data).Pin()
	require.NoError(t, err)
	assert.EqualValues(t, "2026-10-31", build.Manifest.Day)
	require.NoError(t, build.Close())
}

func TestADataFolderThatIsAFileIsOneClearLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	_, _, err := lines(t, batch.Options{Day: "2026-10-30", Data: path})
	require.True(t, errors.Is(err, syscall.ENOTDIR), "%v", err)
	assert.NotContains(t, err.Error(), "\n")
}
