package sqlite_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

// Sizes of a version as the lessons publish it.
const (
	versionASINs     = 10_000
	versionCreatives = 1_000
	versionRows      = 276_536
)

// someRows draws about n sorted rows among the given number of ASINs: the same ones each time.
func someRows(asins, n int) []store.Row {
	draw := rand.New(rand.NewPCG(1, 2))
	rows := make([]store.Row, 0, n)
	for i := range asins {
		asin := fmt.Sprintf("B%09d", i)
		share := n*(i+1)/asins - n*i/asins
		for _, j := range draw.Perm(versionCreatives)[:share] {
			score := world.Score(600 + draw.IntN(401))
			rows = append(rows, store.Row{ASIN: asin, Creative: fmt.Sprintf("cr-%d", j), Score: score})
		}
	}
	slices.SortFunc(rows, func(a, b store.Row) int {
		return cmp.Or(cmp.Compare(a.ASIN, b.ASIN), cmp.Compare(a.Creative, b.Creative))
	})
	return rows
}
