package bloom_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
)

func TestALoadedFilterIsTheSavedOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bloom.bin")
	saved := filled(t, 10_000)
	require.NoError(t, saved.Save(path))
	loaded, err := bloom.Load(path)
	require.NoError(t, err)
	assert.Equal(t, [...]uint64{uint64(saved.Keys()), saved.Bits(), uint64(saved.Hashes())},
		[...]uint64{uint64(loaded.Keys()), loaded.Bits(), uint64(loaded.Hashes())})
	for i := range 20_000 {
		require.Equal(t, saved.Has(pair(i)), loaded.Has(pair(i)))
	}
}

func TestTheFileIsTheBitsAndLittleMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bloom.bin")
	require.NoError(t, bloom.New(276_536, bloom.FalsePositives).Save(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(2_650_614/8+100))
}

func TestAFileCutShortAnywhereIsRefused(t *testing.T) {
	whole := content(t, 20)
	for length := range whole {
		_, err := load(t, whole[:length])
		require.ErrorIs(t, err, bloom.ErrDamaged, "%d bytes", length)
	}
}

func TestAFileWithAnyBitChangedIsRefused(t *testing.T) {
	whole := content(t, 20)
	for bit := range 8 * len(whole) {
		changed := bytes.Clone(whole)
		changed[bit/8] ^= 1 << (bit % 8)
		_, err := load(t, changed)
		require.ErrorIs(t, err, bloom.ErrDamaged, "bit %d", bit)
	}
}

func TestAFileWithSomethingBehindItIsRefused(t *testing.T) {
	_, err := load(t, append(content(t, 20), 0))
	require.ErrorIs(t, err, bloom.ErrDamaged)
}

func TestTheErrorNamesTheFile(t *testing.T) {
	folder := t.TempDir()
	for name, path := range map[string]string{"missing": filepath.Join(folder, "none.bin"), "a folder": folder} {
		_, err := bloom.Load(path)
		assert.ErrorContains(t, err, path, name)
	}
}

// A header that claims the world, with a checksum that fits, so that only the checks on the sizes stand in the way.
func TestAHeaderThatLiesCostsNoMemory(t *testing.T) {
	for _, lie := range []struct{ keys, bits, hashes uint64 }{
		{1, 1 << 40, 7}, {1, 1<<64 - 1, 7}, {1, 0, 7}, {1, 64, 0}, {1, 64, 1 << 63}, {1 << 63, 64, 7}, {1, 1<<64 - 32, 7},
	} {
		file := sealed(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(
			[]byte("RLBLOOM\x01"), lie.keys), lie.bits), lie.hashes), make([]byte, 8))
		path := filepath.Join(t.TempDir(), "bloom.bin")
		require.NoError(t, os.WriteFile(path, file, 0o644))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := bloom.Load(path)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, bloom.ErrDamaged, "%+v", lie)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "%+v", lie)
	}
}

func TestSaveThatFailsLeavesNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "such", "folder")
	require.ErrorContains(t, filled(t, 20).Save(path), path)
	assert.NoFileExists(t, path)
}

func FuzzLoad(f *testing.F) {
	whole := content(f, 20)
	f.Add(whole)
	f.Add(whole[:len(whole)-sha256.Size])
	f.Add(whole[:20])
	f.Add([]byte{})
	path := filepath.Join(f.TempDir(), "bloom.bin")
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, file := range [][]byte{file, sealed(file)} { // the second has a checksum that fits
			require.NoError(t, os.WriteFile(path, file, 0o644))
			filter, err := bloom.Load(path)
			if err != nil {
				require.ErrorIs(t, err, bloom.ErrDamaged)
				continue
			}
			filter.Has("B000000042", "cr-179")
			require.NoError(t, filter.Save(path))
			again, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, file, again)
		}
	})
}

func content(t testing.TB, keys int) []byte {
	path := filepath.Join(t.TempDir(), "bloom.bin")
	require.NoError(t, filled(t, keys).Save(path))
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	return file
}

func load(t testing.TB, file []byte) (*bloom.Filter, error) {
	path := filepath.Join(t.TempDir(), "bloom.bin")
	require.NoError(t, os.WriteFile(path, file, 0o644))
	return bloom.Load(path)
}

func sealed(parts ...[]byte) []byte {
	file := bytes.Join(parts, nil)
	sum := sha256.Sum256(file)
	return append(file, sum[:]...)
}
