package batch

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/relevance-lab/shared/world"
)

// asinsPerTask is how many ASINs a worker takes at once: few enough that no core waits long for another at the end.
const asinsPerTask = 64

// Score finds every relevant pair of w: those with a score of at least threshold, and above zero. An ASIN's score for
// a creative is its best similarity to a product that the creative advertises. A creative without a product is scored
// through the three creatives most similar to it: the best of their scores, each times the similarity.
//
// All cores work, and the result is the same however many there are. When ctx ends first, its error is returned.
func Score(ctx context.Context, w *world.World, threshold world.Score) (*Pairs, error) {
	scorer := newScorer(w, max(threshold, 1))
	tasks := make([][]Pair, (w.ASINs()+asinsPerTask-1)/asinsPerTask)

	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(tasks)) {
		workers.Go(func() {
			best := &best{scores: make([]world.Score, w.Creatives())}
			for ctx.Err() == nil {
				task := int(next.Add(1)) - 1
				if task >= len(tasks) {
					return
				}
				tasks[task] = scorer.run(task, best)
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("score the pairs of %s: %w", w.Day(), err)
	}
	return newPairs(w, threshold, tasks), nil
}

// scorer is what the workers share. It does not change while they work.
type scorer struct {
	world     *world.World
	threshold world.Score
	minDot    int32 // the smallest dot product of vectors with that similarity
	clusters  []cluster
	heirs     [][]heir // of each creative
	places    []int32  // of each creative: its place when all are sorted by id
	sorted    []int32  // the creative at each place
}

func newScorer(w *world.World, threshold world.Score) *scorer {
	s := &scorer{
		world: w, threshold: threshold, minDot: world.MinDot(threshold), clusters: clustersOf(w), heirs: heirsOf(w),
		places: make([]int32, w.Creatives()), sorted: make([]int32, w.Creatives()),
	}
	ids := make([]string, w.Creatives())
	for j := range ids {
		ids[j], s.sorted[j] = w.Creative(j), int32(j)
	}
	slices.SortFunc(s.sorted, func(a, b int32) int { return cmp.Compare(ids[a], ids[b]) })
	for place, j := range s.sorted {
		s.places[j] = int32(place)
	}
	return s
}

// best collects the best scores of one ASIN; a worker uses it again for the next.
type best struct {
	scores []world.Score // by place; all zero between two ASINs
	places []int32       // where scores is not zero
}

func (b *best) offer(place int32, score world.Score) {
	if b.scores[place] == 0 {
		b.places = append(b.places, place)
	}
	b.scores[place] = max(b.scores[place], score)
}

// run scores the ASINs of one task and returns their pairs, sorted.
func (s *scorer) run(task int, best *best) []Pair {
	var pairs []Pair
	for asin := task * asinsPerTask; asin < min((task+1)*asinsPerTask, s.world.ASINs()); asin++ {
		s.direct(asin, best)
		s.inherit(best)
		slices.Sort(best.places)
		for _, place := range best.places {
			pairs = append(pairs, Pair{ASIN: int32(asin), Creative: s.sorted[place], Score: best.scores[place]})
			best.scores[place] = 0
		}
		best.places = best.places[:0]
	}
	return pairs
}

// direct scores an ASIN for the creatives that have products.
func (s *scorer) direct(asin int, best *best) {
	vector := s.world.ASINVector(asin)
	left := pack(vector)
	for c := range s.clusters {
		cluster := &s.clusters[c]
		view := cluster.view(vector, s.minDot)
		for b := range cluster.blocks {
			block := &cluster.blocks[b]
			if !block.mayReach(view) {
				continue
			}
			for mask := block.reached(&left, s.minDot); mask != 0; mask &= mask - 1 {
				i := bits.TrailingZeros32(mask)
				score := world.Cosine(dot(&left, &block.vectors[i]))
				for _, creative := range block.creatives[i] {
					best.offer(s.places[creative], score)
				}
			}
		}
	}
}

// inherit scores the ASIN for the creatives without a product. What they inherit is never more than the score it
// comes from, so the pairs below the threshold, which direct leaves out, have nothing to hand on.
func (s *scorer) inherit(best *best) {
	for _, place := range best.places { // those of direct only: an heir has no heirs
		for _, heir := range s.heirs[s.sorted[place]] {
			if score := times(best.scores[place], heir.similarity); score >= s.threshold {
				best.offer(s.places[heir.creative], score)
			}
		}
	}
}

// times multiplies two scores and rounds to thousandths.
func times(a, b world.Score) world.Score {
	return world.Score((uint32(a)*uint32(b) + uint32(world.MaxScore)/2) / uint32(world.MaxScore))
}
