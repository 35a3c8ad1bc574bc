package world

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheIntegerSquareRootIsTheLargestWhoseSquareFits(t *testing.T) {
	numbers := []uint64{0, 1, 2, 3, 4, 8, 9, 1<<32 - 1, 1 << 32, math.MaxUint64, math.MaxUint64 - 1}
	for root := uint64(1); root < 1<<32; root = root*3 + 1 {
		numbers = append(numbers, root*root-1, root*root, root*root+1)
	}
	for _, n := range numbers {
		requireRoot(t, n)
	}
}

func FuzzSqrt(f *testing.F) {
	f.Add(uint64(0))
	f.Add(uint64(math.MaxUint64))
	f.Fuzz(requireRoot)
}

func requireRoot(t *testing.T, n uint64) {
	t.Helper()
	require.Equal(t, new(big.Int).Sqrt(new(big.Int).SetUint64(n)).Uint64(), Sqrt(n), "square root of %d", n)
}

func TestEveryDirectionHasTheSameLength(t *testing.T) {
	pcg := rand.NewPCG(1, 2)
	for range 10_000 {
		var raw [Dimensions]int64
		for i := range raw {
			raw[i] = int64(pcg.Uint64()) >> (34 + pcg.Uint64()%30) // of every size below 2^29
		}
		if raw == [Dimensions]int64{} {
			continue
		}
		v := normalise(&raw)
		assert.InEpsilon(t, length, math.Sqrt(float64(Dot(&v, &v))), 0.0005, "from %v", raw)
	}
}

func TestTheExtremesOfADirectionFit(t *testing.T) {
	const largest = 1<<29 - 1
	t.Run("no direction becomes the first axis", func(t *testing.T) {
		assert.Equal(t, Vector{length}, normalise(&[Dimensions]int64{}))
	})
	t.Run("an axis keeps its sign and fits int16", func(t *testing.T) {
		assert.Equal(t, Vector{0, -length}, normalise(&[Dimensions]int64{0, -largest}))
	})
	t.Run("all components at the limit", func(t *testing.T) {
		var raw [Dimensions]int64
		for i := range raw {
			raw[i] = largest
		}
		v := normalise(&raw)
		assert.EqualValues(t, length/4, v[15])
	})
}

func TestTheScoreOfTwoVectorsIsTheCosineOfTheirAngle(t *testing.T) {
	w := New(Config{Seed: 1, ASINs: 300, Categories: 5, Creatives: 10}, FirstDay)
	for i := range w.ASINs() {
		a := w.ASINVector(i)
		b := w.ASINVector((i + 1) % w.ASINs())
		require.Equal(t, MaxScore, Cosine(Dot(a, a)), "a thing is as similar to itself as can be")
		require.Equal(t, Cosine(Dot(a, b)), Cosine(Dot(b, a)), "similarity goes both ways")

		var sum int64
		for k := range a {
			sum += int64(a[k]) * int64(b[k])
		}
		require.EqualValues(t, sum, Dot(a, b), "the dot product does not overflow")

		exact := float64(sum) / math.Sqrt(float64(Dot(a, a))) / math.Sqrt(float64(Dot(b, b)))
		require.InDelta(t, max(exact, 0), Cosine(Dot(a, b)).Float(), 0.001, "the score is the cosine")
	}
	opposite := Vector{-length}
	assert.Zero(t, Cosine(Dot(&Vector{length}, &opposite)), "what points the other way is not similar at all")
}

func TestMinDotIsWhereTheScoreBegins(t *testing.T) {
	for s := Score(1); s <= MaxScore; s++ {
		require.Equal(t, s, Cosine(MinDot(s)))
		require.Equal(t, s-1, Cosine(MinDot(s)-1))
	}
	assert.EqualValues(t, math.MinInt32, MinDot(0), "everything has at least the score zero")
	assert.Equal(t, MaxScore, Cosine(math.MaxInt32), "no score exceeds the largest")
}
