package batch

import (
	"cmp"
	"math"
	"slices"

	"example.com/relevance-lab/shared/world"
)

// blockSize is the number of products that are skipped or looked at together; a mask of 32 bits holds them. Blocks of
// 16 halve the dot products of a default world at a threshold of 0.6; smaller ones cost more to skip than they save.
const blockSize = 16

// cluster is the advertised products of one category.
type cluster struct {
	centre  *world.Vector
	squared int64 // the centre's squared length
	blocks  []block
}

// block is some products of a cluster that lie about equally far from its centre. Most blocks are too far from most
// ASINs to hold a relevant product, and mayReach sees that without looking at the products.
type block struct {
	vectors   []packed  // of the products, for the right side
	creatives [][]int32 // of the products: those that advertise it

	minAlong, maxAlong int64 // dot product of a product with the centre
	maxAside           int64 // length of the part of a product that is perpendicular to the centre
}

func clustersOf(w *world.World) []cluster {
	advertisers := make([][]int32, w.ASINs())
	for j := range w.Creatives() {
		for _, asin := range w.Products(j) {
			advertisers[asin] = append(advertisers[asin], int32(j))
		}
	}
	advertised := make([][]int32, w.Categories())
	for asin, creatives := range advertisers {
		if len(creatives) > 0 {
			category := w.ASINCategory(asin)
			advertised[category] = append(advertised[category], int32(asin))
		}
	}
	clusters := make([]cluster, w.Categories())
	for category := range clusters {
		clusters[category] = newCluster(w, category, advertised[category], advertisers)
	}
	return clusters
}

func newCluster(w *world.World, category int, asins []int32, advertisers [][]int32) cluster {
	centre := w.Centre(category)
	c := cluster{centre: centre, squared: int64(world.Dot(centre, centre))}
	slices.SortStableFunc(asins, func(a, b int32) int {
		return cmp.Compare(c.along(w.ASINVector(int(a))), c.along(w.ASINVector(int(b))))
	})
	for members := range slices.Chunk(asins, blockSize) {
		b := block{minAlong: math.MaxInt64, maxAlong: math.MinInt64}
		for _, asin := range members {
			vector := w.ASINVector(int(asin))
			b.vectors = append(b.vectors, packSwapped(vector))
			b.creatives = append(b.creatives, advertisers[asin])
			b.minAlong, b.maxAlong = min(b.minAlong, c.along(vector)), max(b.maxAlong, c.along(vector))
			b.maxAside = max(b.maxAside, c.aside(vector))
		}
		c.blocks = append(c.blocks, b)
	}
	return c
}

// along returns the dot product of v with the centre.
func (c *cluster) along(v *world.Vector) int64 { return int64(world.Dot(v, c.centre)) }

// aside returns the length of the part of v that is perpendicular to the centre, rounded up.
func (c *cluster) aside(v *world.Vector) int64 {
	along := c.along(v)
	return int64(world.Sqrt(uint64(int64(world.Dot(v, v))-along*along/c.squared))) + 1
}

// view is an ASIN as seen from a cluster.
type view struct {
	along  int64 // as in a block
	aside  int64 // as in a block, times the centre's squared length
	enough int64 // the smallest dot product that counts, times the same
}

func (c *cluster) view(v *world.Vector, minDot int32) view {
	return view{along: c.along(v), aside: c.aside(v) * c.squared, enough: int64(minDot) * c.squared}
}

// mayReach tells whether the dot product of the ASIN with a product of the block may be enough. With m the centre, and
// u' and p' the parts of u and p that are perpendicular to it, the inequality of Cauchy and Schwarz says
//
//	u.p = (u.m)(p.m)/m.m + u'.p' <= (u.m)(p.m)/m.m + |u'| |p'|
//
// Both sides are multiplied by m.m and lengths are rounded up, so in integers too a no is never wrong.
func (b *block) mayReach(from view) bool {
	return max(from.along*b.minAlong, from.along*b.maxAlong)+from.aside*b.maxAside >= from.enough
}

// reached returns a mask of the products whose dot product is enough: bit i for product i.
func (b *block) reached(left *packed, minDot int32) (mask uint32) {
	enough := int64(minDot) << 32
	for i := range b.vectors {
		if dotUpper(left, &b.vectors[i]) >= enough {
			mask |= 1 << i
		}
	}
	return mask
}
