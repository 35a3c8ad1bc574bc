package batch

import "example.com/relevance-lab/shared/world"

// packed is a vector with two components to a 64-bit word, (a0, a1) on the left side of a dot product and (b1, b0) on
// the right. That halves the multiplications, and nothing is lost:
//
//	(a0 + a1*2^32) * (b1 + b0*2^32) = a0*b1 + (a0*b0 + a1*b1)*2^32   modulo 2^64
//
// The upper half is wanted. The lower one, summed over the words, is at most the product of the lengths, about 2^28,
// but it may be negative and then borrows from the upper; adding packedBorrow first repays that.
type packed [world.Dimensions / 2]int64

const packedBorrow = 1 << 31

// pack returns v for the left side.
func pack(v *world.Vector) (left packed) {
	for i := range left {
		left[i] = int64(v[2*i]) + int64(v[2*i+1])<<32
	}
	return left
}

// packSwapped returns v for the right side.
func packSwapped(v *world.Vector) (right packed) {
	for i := range right {
		right[i] = int64(v[2*i+1]) + int64(v[2*i])<<32
	}
	return right
}

// dot returns what world.Dot does.
func dot(left, right *packed) int32 { return int32(dotUpper(left, right) >> 32) }

// dotUpper returns the dot product in the upper half; the lower half means nothing.
func dotUpper(left, right *packed) int64 {
	return packedBorrow + left[0]*right[0] + left[1]*right[1] + left[2]*right[2] + left[3]*right[3] +
		left[4]*right[4] + left[5]*right[5] + left[6]*right[6] + left[7]*right[7]
}
