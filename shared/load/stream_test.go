package load

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/world"
)

func TestTheFirstRequestsOfSeed42AreTheSameEverywhere(t *testing.T) {
	traffic := trafficOf(t, world.Default(42))
	var got bytes.Buffer
	for _, id := range [][2]int{{0, 0}, {0, 1}, {1, 0}} {
		stream := traffic.Stream(id[0], id[1])
		for range 8 {
			var request Request
			stream.Next(&request)
			fmt.Fprintf(&got, "%d/%d %s\n", id[0], id[1], traffic.AppendBody(nil, &request))
		}
	}
	golden(t, "stream-seed-42.txt", got.String())
}

func TestNoWeightIsSoCloseToAHalfThatAnArchitectureCouldRoundItElsewhere(t *testing.T) {
	for rank := range world.Default(0).ASINs {
		weight := zipfWeight(rank)
		_, fraction := math.Modf(weight)
		require.Greater(t, math.Abs(fraction-0.5), 1e-13*weight, "rank %d; math.Pow errs by some 1e-16 of the value", rank)
	}
}

func TestTheTopHundredthOfTheASINsGetsItsZipfShareOfTheRequests(t *testing.T) {
	const draws = 200_000
	p := newPopularity(10_000, 42)
	rankOf := make([]int, len(p.asin))
	for rank, asin := range p.asin {
		rankOf[asin] = rank
	}
	source := newSource(42, 1)
	counts := make([]int, len(p.asin))
	for range draws {
		counts[rankOf[p.draw(source)]]++
	}
	total, top := 0.0, 0.0
	for rank := range 10_000 {
		weight := math.Pow(float64(rank+1), -zipfExponent)
		total += weight
		if rank < 100 {
			top += weight
		}
	}
	measured := 0
	for _, count := range counts[:100] {
		measured += count
	}
	assert.InDelta(t, top/total, float64(measured)/draws, 0.005, "share of the top 1%%")
	assert.InDelta(t, 1/total, float64(counts[0])/draws, 0.003, "share of the first")
	t.Logf("the top 1%% of the ASINs get %.1f%% of the requests", 100*top/total)
}

func TestPopularASINsAreSpreadOverTheCategories(t *testing.T) {
	w := world.New(world.Default(42), world.FirstDay)
	perCategory := map[int]int{}
	for _, asin := range newPopularity(w.ASINs(), 42).asin[:500] {
		perCategory[w.ASINCategory(int(asin))]++
	}
	assert.Greater(t, len(perCategory), 45)
	for category, count := range perCategory {
		assert.Less(t, count, 30, "category %d has %d of the 500 most popular ASINs", category, count)
	}
}

func TestEveryASINHasExactlyOneRank(t *testing.T) {
	ranked := slices.Clone(newPopularity(1_000, 7).asin)
	slices.Sort(ranked)
	for i, asin := range ranked {
		require.EqualValues(t, i, asin)
	}
}

func TestARequestHasFiveDifferentCreativesAndHalfOfThemAreRelevant(t *testing.T) {
	traffic := trafficOf(t, world.Default(42))
	stream := traffic.Stream(0, 0)
	const requests = 40_000
	var byCount [CreativesPerRequest + 1]int
	relevant := 0
	for range requests {
		var request Request
		stream.Next(&request)
		count := 0
		for i, creative := range request.Creatives {
			require.NotContains(t, request.Creatives[:i], creative)
			if slices.Contains(traffic.relevant[request.ASIN], creative) {
				count++
			}
		}
		relevant += count
		byCount[count]++
	}
	assert.InDelta(t, 0.5, float64(relevant)/(5*requests), 0.005)
	for count, want := range []float64{1, 5, 10, 10, 5, 1} {
		assert.InDelta(t, want/32, float64(byCount[count])/requests, 0.008, "requests with %d relevant creatives", count)
	}
}

func TestRelevantCreativesAreDrawnUniformly(t *testing.T) {
	traffic := trafficOf(t, small)
	stream := traffic.Stream(0, 0)
	asin := traffic.popularity.asin[0]
	relevant := traffic.relevant[asin]
	require.NotEmpty(t, relevant)
	counts := map[int32]int{}
	total := 0
	for range 100_000 {
		var request Request
		stream.Next(&request)
		if request.ASIN != asin {
			continue
		}
		for _, creative := range request.Creatives {
			if slices.Contains(relevant, creative) {
				counts[creative]++
				total++
			}
		}
	}
	for _, creative := range relevant {
		assert.InEpsilon(t, float64(total)/float64(len(relevant)), counts[creative], 0.1)
	}
}

func TestStreamsDifferBySeedProcessAndWorkerAndByNothingElse(t *testing.T) {
	traffic := trafficOf(t, small)
	other := *traffic
	other.seed = 43
	first := func(traffic *Traffic, process, worker int) (requests [20]Request) {
		stream := traffic.Stream(process, worker)
		for i := range requests {
			stream.Next(&requests[i])
		}
		return requests
	}
	assert.Equal(t, first(traffic, 1, 2), first(traffic, 1, 2))
	assert.NotEqual(t, first(traffic, 1, 2), first(traffic, 2, 1))
	assert.NotEqual(t, first(traffic, 1, 2), first(traffic, 1, 3))
	assert.NotEqual(t, first(traffic, 1, 2), first(&other, 1, 2))
}

func TestWhereRelevantCreativesRunOutOthersStandIn(t *testing.T) {
	for name, relevant := range map[string][]int32{
		"none is relevant": nil, "one is relevant": {3}, "all but one are relevant": {0, 1, 2, 3, 4}, "all are relevant": {0, 1, 2, 3, 4, 5},
	} {
		t.Run(name, func(t *testing.T) {
			traffic := &Traffic{
				asins: []string{"B000000000"}, creatives: make([]string, 6),
				popularity: newPopularity(1, 1), relevant: [][]int32{relevant},
			}
			stream := traffic.Stream(0, 0)
			for range 1_000 {
				var request Request
				stream.Next(&request)
				distinct := slices.Clone(request.Creatives[:])
				slices.Sort(distinct)
				require.Len(t, slices.Compact(distinct), CreativesPerRequest)
			}
		})
	}
}

func TestAWorldWithTooFewCreativesIsRefused(t *testing.T) {
	tiny := world.Config{Seed: 1, ASINs: 10, Categories: 2, Creatives: 4}
	pairs, err := batch.Score(t.Context(), world.New(tiny, world.FirstDay), threshold)
	require.NoError(t, err)
	_, err = NewTraffic(pairs, 1)
	require.EqualError(t, err,
		"a world of 10 ASINs and 4 creatives is too small: a request needs 5 different creatives")
}

func TestDrawingARequestAndItsBodyAllocatesNothing(t *testing.T) {
	traffic := trafficOf(t, small)
	stream := traffic.Stream(0, 0)
	body := make([]byte, 0, 200)
	var request Request
	assert.Zero(t, testing.AllocsPerRun(1_000, func() {
		stream.Next(&request)
		body = traffic.AppendBody(body[:0], &request)
	}))
}

func BenchmarkRequest(b *testing.B) {
	traffic := trafficOf(b, world.Default(42))
	stream := traffic.Stream(0, 0)
	body := make([]byte, 0, 200)
	var request Request
	for b.Loop() {
		stream.Next(&request)
		body = traffic.AppendBody(body[:0], &request)
	}
}
