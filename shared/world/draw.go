package world

import (
	"math/bits"
	"math/rand/v2"
)

// draws is the source of all chance in the world of one day.
type draws struct {
	seed uint64
	day  int // days since FirstDay; negative before it
}

// kind keeps the random streams of different sorts of things apart.
type kind uint64

const (
	kindCentre kind = iota + 1
	kindASIN
	kindCreative
	kindProducts
)

// always stands for the day in the streams of what never changes.
const always = -1 << 31

// stream returns the generator that belongs to one thing on one day and to nothing else. Only its Uint64 may be
// called: what is made of the raw draws is decided in this package, in integers.
func (d draws) stream(of kind, index, day int) rand.PCG {
	state := mix(d.seed)
	for _, part := range [...]uint64{uint64(of), uint64(index), uint64(int64(day))} {
		state = mix(state + part)
	}
	var pcg rand.PCG
	pcg.Seed(state, mix(state))
	return pcg
}

// mix scrambles 64 bits, one to one, so that neighbouring inputs give unrelated outputs: the finalizer of SplitMix64
// (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below draws a number from 0 to n-1. It prefers some of them by at most n/2^64, which no world is large enough to
// show.
func below(pcg *rand.PCG, n int) int {
	high, _ := bits.Mul64(pcg.Uint64(), uint64(n))
	return int(high)
}

// step adds to each component an independent uniform number between -32,768 and 32,767. One draw serves four.
func step(pcg *rand.PCG, sum *[Dimensions]int64) {
	for i := 0; i < Dimensions; i += 4 {
		draw := pcg.Uint64()
		sum[i] += int64(int16(draw))
		sum[i+1] += int64(int16(draw >> 16))
		sum[i+2] += int64(int16(draw >> 32))
		sum[i+3] += int64(int16(draw >> 48))
	}
}
