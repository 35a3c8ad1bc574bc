package world

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoTwoStreamsAreTheSame(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(4) {
		for _, of := range []kind{kindCentre, kindASIN, kindCreative, kindProducts} {
			for index := range 50 {
				for _, day := range []int{-400, -1, 0, 1, 2, always} {
					pcg := draws{seed: seed}.stream(of, index, day)
					first := pcg.Uint64()
					require.False(t, seen[first], "seed %d, kind %d, index %d, day %d", seed, of, index, day)
					seen[first] = true
				}
			}
		}
	}
}

func TestABoundedDrawReachesEveryNumberAboutEquallyOften(t *testing.T) {
	pcg := rand.NewPCG(3, 4)
	var counts [7]int
	for range 70_000 {
		counts[below(pcg, len(counts))]++
	}
	for number, count := range counts {
		assert.InDelta(t, 10_000, count, 500, "number %d", number)
	}
}

func TestAStepIsUniformAndCentredAndHasTheVarianceThatPlacesCountOn(t *testing.T) {
	pcg := rand.NewPCG(5, 6)
	const rounds = 20_000
	var sum, squares float64
	for range rounds {
		var components [Dimensions]int64
		step(pcg, &components)
		for _, component := range components {
			require.True(t, component >= -32_768 && component <= 32_767)
			sum += float64(component)
			squares += float64(component * component)
		}
	}
	assert.InDelta(t, 0, sum/rounds/Dimensions, 150)
	assert.InEpsilon(t, 65_536.0*65_536/12, squares/rounds/Dimensions, 0.01)
	assert.EqualValues(t, Sqrt(Dimensions*(homeSteps+driftDays)*65_536*65_536/12), stepsLength)
}
