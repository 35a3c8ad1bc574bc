package batch

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

// goldenPairs has a line for each scoring: seed, day, threshold, number of pairs, fingerprint. They were computed on
// amd64; every architecture must agree.
//
//go:embed testdata/golden.txt
var goldenPairs string

func TestThePairsAreTheSameForEveryone(t *testing.T) {
	for line := range strings.Lines(goldenPairs) {
		fields := strings.Fields(line)
		require.Len(t, fields, 5, line)
		var seed uint64
		_, err := fmt.Sscan(fields[0], &seed)
		require.NoError(t, err)
		day, err := world.ParseDay(fields[1])
		require.NoError(t, err)
		threshold, err := world.ParseScore(fields[2])
		require.NoError(t, err)

		pairs := score(t, world.New(world.Default(seed), day), threshold)
		found := fmt.Sprintf("%d %s %s %d %s\n", seed, day, threshold, pairs.Len(), pairs.Fingerprint())
		assert.Equal(t, line, found)
	}
}

func TestRowsAreSortedAsTextAndSayWhatThePairsSay(t *testing.T) {
	w := world.New(world.Config{Seed: 3, ASINs: 120, Categories: 4, Creatives: 150}, world.FirstDay)
	pairs := score(t, w, 500)
	require.Positive(t, pairs.Len())
	rows := slices.Collect(pairs.Rows())
	require.Len(t, rows, pairs.Len())

	assert.True(t, slices.IsSortedFunc(rows, func(a, b store.Row) int {
		return strings.Compare(a.ASIN+" "+a.Creative, b.ASIN+" "+b.Creative)
	}))
	seen := map[string]bool{}
	canonical := sha256.New()
	for i, row := range rows {
		pair := pairs.At(i)
		want := store.Row{ASIN: w.ASIN(int(pair.ASIN)), Creative: w.Creative(int(pair.Creative)), Score: pair.Score}
		require.Equal(t, want, row)
		require.Contains(t, pairs.Of(int(pair.ASIN)), pair)
		require.True(t, row.Score >= 500 && row.Score <= world.MaxScore)
		require.True(t, w.HasASIN(row.ASIN) && w.HasCreative(row.Creative))
		require.False(t, seen[row.ASIN+row.Creative], "%v occurs twice", row)
		seen[row.ASIN+row.Creative] = true
		fmt.Fprintf(canonical, "%s %s %s\n", row.ASIN, row.Creative, row.Score)
	}
	assert.Equal(t, hex.EncodeToString(canonical.Sum(nil)), pairs.Fingerprint())
	assert.Same(t, w, pairs.World())
	assert.EqualValues(t, 500, pairs.Threshold())

	t.Run("a reader may stop early", func(t *testing.T) {
		count := 0
		for range pairs.Rows() {
			if count++; count == 3 {
				break
			}
		}
		assert.Equal(t, 3, count)
	})
	t.Run("the pairs of an ASIN cannot grow into those of the next", func(t *testing.T) {
		grown := append(pairs.Of(0), Pair{ASIN: 99})
		assert.NotEqual(t, grown[len(grown)-1], pairs.Of(1)[0])
		assert.EqualValues(t, 1, pairs.Of(1)[0].ASIN)
	})
}

func BenchmarkFingerprint(b *testing.B) {
	pairs, err := Score(b.Context(), world.New(world.Default(42), world.FirstDay), 600)
	require.NoError(b, err)
	for b.Loop() {
		pairs.Fingerprint()
	}
}
