package lab

import (
	"errors"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/bloom"
)

// Question is one product and three candidate creatives, of which the first two are relevant and the last is not.
type Question struct {
	ASIN      string   `json:"asin"`
	Creatives []string `json:"creatives"`
}

// firstCandidate is where the search for a question starts: the product that the lessons talk about, B000000042.
const firstCandidate = 42

// FindQuestion finds a question in the world of pairs: the first product, from B000000042 on, with two relevant
// creatives, and the first creative of which the filter is certain that it is not relevant (a false positive would cost
// a read).
func FindQuestion(pairs *batch.Pairs, filter *bloom.Filter) (Question, error) {
	w := pairs.World()
	for i := range w.ASINs() {
		asin := (firstCandidate + i) % w.ASINs()
		relevant := pairs.Of(asin)
		if len(relevant) < 2 {
			continue
		}
		for c := range w.Creatives() {
			if creative := w.Creative(c); !filter.Has(w.ASIN(asin), creative) {
				first, second := relevant[0].Creative, relevant[1].Creative
				return Question{w.ASIN(asin), []string{w.Creative(int(first)), w.Creative(int(second)), creative}}, nil
			}
		}
	}
	return Question{}, errors.New("no product of this world has two relevant creatives and one that is not; " +
		"try another LAB_SEED")
}
