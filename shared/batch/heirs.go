package batch

import (
	"cmp"
	"slices"

	"example.com/relevance-lab/shared/world"
)

// similarCreatives is the number of creatives that one without a product is scored through.
const similarCreatives = 3

// heir is a creative without a product, as seen from one that it is scored through.
type heir struct {
	creative   int32
	similarity world.Score
}

// heirsOf returns, for each creative, those that are scored through it.
func heirsOf(w *world.World) [][]heir {
	var donors []int32
	for j := range w.Creatives() {
		if len(w.Products(j)) > 0 {
			donors = append(donors, int32(j))
		}
	}
	heirs := make([][]heir, w.Creatives())
	for j := range w.Creatives() {
		if len(w.Products(j)) > 0 {
			continue
		}
		for _, similar := range mostSimilar(w, j, donors) {
			heirs[similar.donor] = append(heirs[similar.donor], heir{int32(j), world.Cosine(similar.dot)})
		}
	}
	return heirs
}

// similar is a creative with products, seen from one without.
type similar struct {
	donor int32
	dot   int32 // of the vectors of both
}

// mostSimilar returns the donors that are most similar to creative j. Of equally similar ones the older goes first.
func mostSimilar(w *world.World, j int, donors []int32) []similar {
	var most []similar // sorted, never longer than similarCreatives, but for a moment
	for _, donor := range donors {
		next := similar{donor, world.Dot(w.CreativeVector(j), w.CreativeVector(int(donor)))}
		place, _ := slices.BinarySearchFunc(most, next, func(a, b similar) int {
			return cmp.Or(cmp.Compare(b.dot, a.dot), cmp.Compare(a.donor, b.donor))
		})
		if place < similarCreatives {
			most = slices.Insert(most, place, next)
			most = most[:min(len(most), similarCreatives)]
		}
	}
	return most
}
