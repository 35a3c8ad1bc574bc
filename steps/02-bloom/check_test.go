package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/check"
)

func TestMain(m *testing.M) { check.Main(m, main) }

func TestTheFilterIsAsLargeAsTheFormulaSaysAndAsGoodAsPredicted(t *testing.T) {
	printed := check.New(t).Succeed(t)

	keys := check.Number(t, printed, `([\d,]+) keys in`)
	bits, hashes := bloom.Size(int(keys), 0.01)
	require.EqualValues(t, bits, check.Number(t, printed, `keys in ([\d,]+) bits`))
	require.EqualValues(t, hashes, check.Number(t, printed, `k=(\d+)`))

	t.Run("no key is ever denied", func(t *testing.T) {
		require.Zero(t, check.Number(t, printed, `false negatives: ([\d,]+) of`))
		require.Equal(t, keys, check.Number(t, printed, `false negatives: [\d,]+ of ([\d,]+) keys`), "every key is asked for")
	})
	t.Run("the measured false-positive rate is the predicted one", func(t *testing.T) {
		measured := check.Number(t, printed, `other pairs = ([\d.]+)%`)
		predicted := check.Number(t, printed, `predicted ([\d.]+)%`)
		require.InDelta(t, 1, predicted, 0.05)
		require.InEpsilon(t, predicted, measured, 0.1)
	})
	t.Run("ten times fewer false positives cost 4.8 bits a key", func(t *testing.T) {
		one := check.Number(t, printed, `(?m)^ +1\.0% +([\d,]+)`)
		rarer := check.Number(t, printed, `(?m)^ +0\.1% +([\d,]+)`)
		require.InDelta(t, 4.79, (rarer-one)/keys, 0.01)
	})
}

func TestAnotherSeedIsAnotherWorldWithTheSameProperties(t *testing.T) {
	printed := check.New(t).Succeed(t, "LAB_SEED=7")
	require.Zero(t, check.Number(t, printed, `false negatives: ([\d,]+) of`))
	require.InDelta(t, 1, check.Number(t, printed, `other pairs = ([\d.]+)%`), 0.1)
}
