package batch

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/world"
)

func TestScoringFindsExactlyThePairsOfTheDefinition(t *testing.T) {
	configs := []world.Config{
		{Seed: 1, ASINs: 300, Categories: 7, Creatives: 60},
		{Seed: 2, ASINs: 150, Categories: 1, Creatives: 40}, // more products than a block holds
		{Seed: 3, ASINs: 65, Categories: 40, Creatives: 90}, // a task and one ASIN more
		{Seed: 4, ASINs: 3, Categories: 9, Creatives: 40},   // categories without a product
		{Seed: 5, ASINs: 1, Categories: 1, Creatives: 1},
	}
	for _, config := range configs {
		for _, day := range []world.Day{"2020-01-01", world.FirstDay, "2026-11-02"} {
			w := world.New(config, day)
			defined := newDefinition(w)
			for _, threshold := range []world.Score{0, 1, 300, 600, 950, world.MaxScore} {
				pairs := score(t, w, threshold)
				var want []Pair
				for asin := range w.ASINs() {
					want = append(want, defined.pairs(asin, threshold)...)
				}
				require.True(t, slices.Equal(want, pairs.pairs), "%+v on %s from %s", config, day, threshold)
			}
		}
	}
}

func TestScoringADefaultWorldFindsExactlyThePairsOfTheDefinition(t *testing.T) {
	w := world.New(world.Default(42), world.FirstDay)
	defined := newDefinition(w)
	for _, threshold := range []world.Score{600, 950} {
		pairs := score(t, w, threshold)
		for asin := 0; asin < w.ASINs(); asin += 331 { // 331 and 50 categories have no common factor
			want, found := defined.pairs(asin, threshold), pairs.Of(asin)
			require.True(t, slices.Equal(want, found), "ASIN %d from %s: want %v, found %v", asin, threshold, want, found)
		}
	}
}

// definition says what the score of a pair is, without any of the scorer's shortcuts.
type definition struct {
	world  *world.World
	donors map[int][]int // of each creative without a product: the most similar ones with some
}

func newDefinition(w *world.World) definition {
	d := definition{world: w, donors: map[int][]int{}}
	for creative := range w.Creatives() {
		if len(w.Products(creative)) > 0 {
			continue
		}
		dots := map[int]int32{}
		var donors []int
		for other := range w.Creatives() {
			if len(w.Products(other)) > 0 {
				donors = append(donors, other)
				dots[other] = world.Dot(w.CreativeVector(creative), w.CreativeVector(other))
			}
		}
		slices.SortStableFunc(donors, func(a, b int) int { return cmp.Compare(dots[b], dots[a]) })
		d.donors[creative] = donors[:min(len(donors), 3)]
	}
	return d
}

func (d definition) direct(asin, creative int) (best world.Score) {
	for _, product := range d.world.Products(creative) {
		best = max(best, world.Cosine(world.Dot(d.world.ASINVector(asin), d.world.ASINVector(int(product)))))
	}
	return best
}

func (d definition) score(asin, creative int) world.Score {
	best := d.direct(asin, creative)
	for _, donor := range d.donors[creative] {
		similarity := world.Cosine(world.Dot(d.world.CreativeVector(creative), d.world.CreativeVector(donor)))
		best = max(best, world.Score((int(similarity)*int(d.direct(asin, donor))+500)/1000))
	}
	return best
}

func (d definition) pairs(asin int, threshold world.Score) []Pair {
	var pairs []Pair
	for creative := range d.world.Creatives() {
		if score := d.score(asin, creative); score > 0 && score >= threshold {
			pairs = append(pairs, Pair{ASIN: int32(asin), Creative: int32(creative), Score: score})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return cmp.Compare(d.world.Creative(int(a.Creative)), d.world.Creative(int(b.Creative)))
	})
	return pairs
}

func TestThePairsDependNeitherOnTheCoresNorOnTheTimeZone(t *testing.T) {
	w := world.New(world.Config{Seed: 9, ASINs: 1_000, Categories: 10, Creatives: 100}, world.FirstDay)
	want := score(t, w, 600)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	zone := time.Local
	defer func() { time.Local = zone }()
	time.Local = time.FixedZone("far east", 14*3600)
	for _, cores := range []int{1, 2, 3, 64} {
		runtime.GOMAXPROCS(cores)
		require.Equal(t, want.pairs, score(t, w, 600).pairs, "%d cores", cores)
	}
}

func TestADefaultWorldHasTheFiguresOfTheLessons(t *testing.T) {
	if testing.Short() {
		t.Skip("scores six worlds")
	}
	config := world.Default(42)
	day := world.FirstDay
	today := score(t, world.New(config, day), 600)
	assert.InDelta(t, 277_500, today.Len(), 7_500, "relevant pairs on the first day")
	assert.InDelta(t, 0.02, share(score(t, today.World(), 950), today), 0.005, "left with a threshold of 0.95")

	few := 0
	for asin := range today.World().ASINs() {
		if len(today.Of(asin)) < 5 {
			few++
		}
	}
	assert.LessOrEqual(t, few, 20, "ASINs with fewer than a handful of relevant creatives")

	for range 4 {
		tomorrow := score(t, world.New(config, day.Next()), 600)
		assert.InDelta(t, 1.02, share(tomorrow, today), 0.01, "rows on %s against the day before", day.Next())
		assert.Greater(t, changed(today, tomorrow), 0.4, "pairs that are other on %s", day.Next())
		today, day = tomorrow, day.Next()
	}
}

func TestEveryStudentsWorldIsAboutAsCrowded(t *testing.T) {
	if testing.Short() {
		t.Skip("scores twenty worlds")
	}
	for seed := range uint64(20) {
		pairs := score(t, world.New(world.Default(seed+1), world.FirstDay), 600)
		assert.InDelta(t, 277_500, pairs.Len(), 7_500, "seed %d", seed+1)
	}
}

func share(part, whole *Pairs) float64 { return float64(part.Len()) / float64(whole.Len()) }

// changed returns the share of today's pairs that tomorrow are gone or have another score.
func changed(today, tomorrow *Pairs) float64 {
	kept := 0
	for asin := range today.World().ASINs() {
		scores := map[Pair]bool{}
		for _, pair := range tomorrow.Of(asin) {
			scores[pair] = true
		}
		for _, pair := range today.Of(asin) {
			if scores[pair] {
				kept++
			}
		}
	}
	return 1 - float64(kept)/float64(today.Len())
}

func TestScoringStopsWhenItIsCancelled(t *testing.T) {
	w := world.New(world.Config{Seed: 1, ASINs: 2_000, Categories: 5, Creatives: 20}, world.FirstDay)
	t.Run("before it starts", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		pairs, err := Score(ctx, w, 600)
		require.ErrorIs(t, err, context.Canceled)
		assert.Nil(t, pairs)
	})
	t.Run("on the way", func(t *testing.T) {
		for n := range 10 {
			ctx := &cancelledAfter{Context: t.Context(), asked: make(chan struct{}, n)}
			pairs, err := Score(ctx, w, 600)
			require.ErrorIs(t, err, context.Canceled)
			assert.Nil(t, pairs)
		}
	})
}

// cancelledAfter is a context that ends once its error has been asked for as often as the channel has room.
type cancelledAfter struct {
	context.Context
	asked chan struct{}
}

func (c *cancelledAfter) Err() error {
	select {
	case c.asked <- struct{}{}:
		return nil
	default:
		return context.Canceled
	}
}

func TestAPackedDotProductIsTheDotProduct(t *testing.T) {
	w := world.New(world.Config{Seed: 6, ASINs: 400, Categories: 3, Creatives: 1}, world.FirstDay)
	vectors := []*world.Vector{{1 << 14}, {-1 << 14}, {0, 1 << 14}, {0, -1 << 14}, {}, {-1, -1, 1, 1}}
	for i := range w.ASINs() {
		vectors = append(vectors, w.ASINVector(i))
	}
	for _, a := range vectors {
		left := pack(a)
		for _, b := range vectors {
			right := packSwapped(b)
			require.True(t, world.Dot(a, b) == dot(&left, &right), "%v %v", a, b)
		}
	}
}

func TestABlockIsNeverSkippedWhenAProductInItIsReached(t *testing.T) {
	w := world.New(world.Config{Seed: 8, ASINs: 600, Categories: 12, Creatives: 120}, world.FirstDay)
	skipped, looked := 0, 0
	for _, minDot := range []int32{world.MinDot(1), world.MinDot(400), world.MinDot(600), world.MinDot(999)} {
		for _, cluster := range clustersOf(w) {
			for asin := range w.ASINs() {
				left := pack(w.ASINVector(asin))
				for _, block := range cluster.blocks {
					if block.mayReach(cluster.view(w.ASINVector(asin), minDot)) {
						looked++
						continue
					}
					skipped++
					require.Zero(t, block.reached(&left, minDot))
				}
			}
		}
	}
	assert.Positive(t, looked)
	assert.Greater(t, skipped, looked/4, "skipping is worth its while")
}

func score(t *testing.T, w *world.World, threshold world.Score) *Pairs {
	t.Helper()
	pairs, err := Score(t.Context(), w, threshold)
	require.NoError(t, err)
	return pairs
}

func BenchmarkScore(b *testing.B) {
	for _, threshold := range []world.Score{600, 950} {
		b.Run(fmt.Sprintf("threshold %s", threshold), func(b *testing.B) {
			w := world.New(world.Default(42), world.FirstDay)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Score(b.Context(), w, threshold); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
