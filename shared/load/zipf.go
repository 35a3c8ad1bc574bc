package load

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sort"
)

// zipfExponent sets the skew of the traffic: the ASIN of rank r is asked for in proportion to 1/r^0.90. Over 10,000
// ASINs the top 1% then gets 41% of the requests.
const zipfExponent = 0.90

// weightOfFirst is the whole-number weight of rank 1. Weights are rounded to integers and drawn from with integer
// arithmetic, so that the stream is the same on every architecture although math.Pow may differ in its last bit.
const weightOfFirst = 1 << 32

// popularity draws ASINs from a Zipf distribution.
type popularity struct {
	cumulative []uint64 // cumulative[r] is the weight of ranks 0 to r together
	asin       []int32  // asin[r] is the ASIN of rank r
}

// newPopularity ranks the ASINs 0 to n-1 in an order drawn from seed, so that the popular ones are spread over all
// categories.
func newPopularity(n int, seed uint64) *popularity {
	p := &popularity{cumulative: make([]uint64, n), asin: make([]int32, n)}
	source := newSource(seed, ^uint64(0))
	total := uint64(0)
	for rank := range n {
		total += uint64(math.Round(zipfWeight(rank)))
		p.cumulative[rank] = total
		// Fisher and Yates' shuffle, inside out.
		other := below(source, uint64(rank+1))
		p.asin[rank] = p.asin[other]
		p.asin[other] = int32(rank)
	}
	return p
}

func zipfWeight(rank int) float64 { return weightOfFirst / math.Pow(float64(rank+1), zipfExponent) }

func (p *popularity) draw(source *rand.PCG) int32 {
	target := below(source, p.cumulative[len(p.cumulative)-1])
	return p.asin[sort.Search(len(p.cumulative), func(rank int) bool { return p.cumulative[rank] > target })]
}

// newSource returns a generator of its own for each pair of seed and stream. PCG's state is that pair, and generators
// whose states lie close together start alike, so both are mixed first.
func newSource(seed, stream uint64) *rand.PCG {
	return rand.NewPCG(mix(seed), mix(mix(seed)^stream))
}

// mix is SplitMix64's output function (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below draws a whole number from 0 to n-1 out of one raw 64-bit value (Lemire's multiplication). Numbers differ in
// probability by less than n/2^64, which no run can see.
func below(source *rand.PCG, n uint64) uint64 {
	number, _ := bits.Mul64(source.Uint64(), n)
	return number
}
