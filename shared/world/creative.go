package world

import (
	"slices"
	"strconv"
)

const (
	creativePrefix = "cr-"
	maxCreatives   = 1_000_000_000
)

// A day adds one creative for every growthDivisor of Config.Creatives: 2%. A creative is brand new, without a
// product, for its first brandNewDays: with that growth a tenth of them are.
const (
	growthDivisor = 50
	brandNewDays  = 5
)

// A creative that is not brand new advertises minProducts to maxProducts draws from its own category. A product that is
// drawn twice counts once.
const (
	minProducts = 3
	maxProducts = 7
)

type creative struct {
	vector   Vector
	products []int32
}

// CreativesOn returns how many creatives a world of this config has on a day: Creatives on FirstDay and 2% of that
// more on each later day, but never fewer than half of it (up to 25 days before FirstDay) nor more than twice (from 50
// days after).
func (c Config) CreativesOn(day Day) int { return c.creativesOn(day.Since(FirstDay)) }

func (c Config) creativesOn(day int) int {
	count := c.Creatives + day*max(1, c.Creatives/growthDivisor)
	return min(max(count, (c.Creatives+1)/2), 2*c.Creatives)
}

// Creatives returns the number of creatives there are on the day.
func (w *World) Creatives() int { return len(w.creatives) }

// Creative returns the id of creative j: "cr-179" for 179. The order of ids as text is not that of their numbers.
func (w *World) Creative(j int) string { return string(appendCreative(nil, j)) }

// HasCreative tells whether id belongs to a creative that exists on the day.
func (w *World) HasCreative(id string) bool {
	j, ok := numberIn(id, creativePrefix)
	return ok && j < len(w.creatives) && string(appendCreative(nil, j)) == id
}

// CreativeVector returns where creative j lies: what its words and pictures say, the same every day. The caller must
// not change it.
func (w *World) CreativeVector(j int) *Vector { return &w.creatives[j].vector }

// CreativeCategory returns the category of creative j.
func (w *World) CreativeCategory(j int) int { return j % len(w.centres) }

// Products returns the numbers of the ASINs that creative j advertises, ascending. There are none while it is brand
// new, nor where its category has no product. The caller must not change them.
func (w *World) Products(j int) []int32 { return w.creatives[j].products }

func (d draws) creatives(config Config, centres []Vector) []creative {
	all := make([]creative, config.creativesOn(d.day))
	advertising := config.creativesOn(d.day - brandNewDays)
	for j := range all {
		category := j % len(centres)
		all[j].vector = d.place(kindCreative, j, &centres[category])
		if j < advertising {
			all[j].products = d.products(config, j, category)
		}
	}
	return all
}

// products draws what creative j advertises, of its own category.
func (d draws) products(config Config, j, category int) []int32 {
	choices := (config.ASINs - category + config.Categories - 1) / config.Categories
	if choices <= 0 {
		return nil
	}
	pcg := d.stream(kindProducts, j, always)
	products := make([]int32, minProducts+below(&pcg, maxProducts-minProducts+1))
	for i := range products {
		products[i] = int32(category + config.Categories*below(&pcg, choices))
	}
	slices.Sort(products)
	return slices.Compact(products)
}

func appendCreative(dst []byte, j int) []byte {
	return strconv.AppendInt(append(dst, creativePrefix...), int64(j), 10)
}
