package lab

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/world"
)

// Loss is what is gone when one version takes another's place.
type Loss struct {
	Pairs    int      // relevant pairs of the one that the other lacks
	Question Question // three creatives that were relevant for a product, the best first, and are not any more
}

const lostCreatives = 3

// Loss computes what would be gone if what p publishes took the live version's place. The question is about the first
// product, from B000000042 on, that loses three creatives; where none does, that is an error.
func (s Stage) Loss(ctx context.Context, p Publish) (Loss, error) {
	before, err := s.Pairs(ctx)
	if err != nil {
		return Loss{}, err
	}
	after, err := batch.Score(ctx, world.New(world.Default(s.Seed), p.Day), p.threshold())
	if err != nil {
		return Loss{}, err
	}
	var loss Loss
	w := before.World()
	for i := range w.ASINs() {
		asin := (firstCandidate + i) % w.ASINs()
		gone := lost(before.Of(asin), after.Of(asin))
		loss.Pairs += len(gone)
		if len(gone) < lostCreatives || loss.Question.ASIN != "" {
			continue
		}
		loss.Question.ASIN = w.ASIN(asin)
		for _, pair := range gone[:lostCreatives] {
			loss.Question.Creatives = append(loss.Question.Creatives, w.Creative(int(pair.Creative)))
		}
	}
	if loss.Question.ASIN == "" {
		return loss, errors.New("no product loses three of its relevant creatives; choose a higher threshold")
	}
	return loss, nil
}

// lost returns the pairs of one product whose creatives its other pairs do not name, the best score first.
func lost(before, after []batch.Pair) (gone []batch.Pair) {
	for _, pair := range before {
		kept := func(other batch.Pair) bool { return other.Creative == pair.Creative }
		if !slices.ContainsFunc(after, kept) {
			gone = append(gone, pair)
		}
	}
	slices.SortStableFunc(gone, func(a, b batch.Pair) int { return cmp.Compare(b.Score, a.Score) })
	return gone
}
