package world

import (
	"math"
	"math/bits"
)

// Dimensions is the number of components of a Vector.
const Dimensions = 16

// The length of every vector is one, counted in units of 1/length. A power of two makes the cosine a shift, and 2^14 is
// the largest whose components fit int16; the dot product of two vectors is then at most about 2^28 and fits int32.
const (
	lengthBits = 14
	length     = 1 << lengthBits
)

// Vector is a direction: 16 components whose squares add up to 2^28, up to rounding.
type Vector [Dimensions]int16

// Dot returns the dot product. It is exact, and so the same in any order of summation.
func Dot(a, b *Vector) int32 {
	return int32(a[0])*int32(b[0]) + int32(a[1])*int32(b[1]) + int32(a[2])*int32(b[2]) + int32(a[3])*int32(b[3]) +
		int32(a[4])*int32(b[4]) + int32(a[5])*int32(b[5]) + int32(a[6])*int32(b[6]) + int32(a[7])*int32(b[7]) +
		int32(a[8])*int32(b[8]) + int32(a[9])*int32(b[9]) + int32(a[10])*int32(b[10]) + int32(a[11])*int32(b[11]) +
		int32(a[12])*int32(b[12]) + int32(a[13])*int32(b[13]) + int32(a[14])*int32(b[14]) + int32(a[15])*int32(b[15])
}

// Cosine returns the similarity of two vectors whose dot product is dot: the cosine of the angle between them, rounded
// to thousandths; zero where it is negative.
func Cosine(dot int32) Score {
	if dot <= 0 {
		return 0
	}
	thousandths := (int64(dot)*int64(MaxScore) + length*length/2) >> (2 * lengthBits)
	return Score(min(thousandths, int64(MaxScore))) // rounded components may make a vector a hair too long
}

// MinDot returns the smallest dot product whose Cosine is at least s, which is at most MaxScore.
func MinDot(s Score) int32 {
	if s == 0 {
		return math.MinInt32
	}
	return int32((int64(s)*length*length - length*length/2 + int64(MaxScore) - 1) / int64(MaxScore))
}

// normalise returns the direction of raw, whose components have to stay below 2^29 so that the sum of their squares
// fits 64 bits. Without a direction it points along the first axis.
func normalise(raw *[Dimensions]int64) Vector {
	var squares uint64
	for _, component := range raw {
		squares += uint64(component * component)
	}
	norm := int64(Sqrt(squares))
	if norm == 0 {
		return Vector{length}
	}
	var v Vector
	for i, component := range raw {
		v[i] = int16(roundedQuotient(component*length, norm))
	}
	return v
}

// roundedQuotient returns a/b rounded to the nearest integer, halves away from zero. b is positive.
func roundedQuotient(a, b int64) int64 {
	if a < 0 {
		return -((-a + b/2) / b)
	}
	return (a + b/2) / b
}

// Sqrt returns the integer square root: the largest integer whose square is at most n, by Newton's method from above.
func Sqrt(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	root := uint64(1) << ((bits.Len64(n) + 1) / 2) // at least the square root, so the steps go down until they end
	for {
		next := (root + n/root) / 2
		if next >= root {
			return root
		}
		root = next
	}
}
