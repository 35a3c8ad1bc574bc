// Package bloom is the filter that stands in front of a version's database. It holds exactly the keys of that
// version, a key being a pair (ASIN, creative), and answers "certainly not relevant" from memory for most of the
// pairs that are not.
//
// It guarantees that Has says yes for every key that was added, and that it allocates nothing, whatever it is asked:
// the ids in a question come from strangers. It does not guarantee a no: about one strange pair in a hundred gets a
// yes (a false positive), which costs a read that finds nothing and is otherwise harmless. A filter belongs to one
// version. Asked about another version's keys, it gives wrong answers; the two are therefore published together.
//
// The bits are those of bits-and-blooms/bloom/v3 (murmur3, k positions from four base hashes). The file around them
// is this package's own, because the library's reader believes the sizes it reads.
package bloom

import (
	"fmt"
	"math"
	"strings"

	bits "github.com/bits-and-blooms/bloom/v3"
)

// FalsePositives is the share of strange keys that a version's filter may say yes to.
const FalsePositives = 0.01

// MaxKeyBytes is the length of the longest key, ASIN and creative and the byte between them.
const MaxKeyBytes = 128

// Filter holds the keys of one version. After the last Add, it may be asked from many goroutines at once.
type Filter struct {
	bits *bits.BloomFilter
	keys int
}

// New returns an empty filter that is sized by Size.
func New(keys int, falsePositives float64) *Filter {
	size, hashes := Size(keys, falsePositives)
	return &Filter{bits: bits.New(uint(size), hashes)}
}

// Size returns the number of bits m and of hash functions k with which a filter of n keys says yes to a share p of
// strange keys: m = ⌈-n·ln p / ln²2⌉ and k = ⌈m/n·ln 2⌉ (Bloom 1970). It panics when p is not between 0 and 1. Fewer
// than one key is sized like one.
func Size(keys int, falsePositives float64) (size uint64, hashes uint) {
	if !(falsePositives > 0 && falsePositives < 1) {
		panic(fmt.Sprintf("bloom: a share of %v false positives is not between 0 and 1", falsePositives))
	}
	m, k := bits.EstimateParameters(uint(max(keys, 1)), falsePositives)
	return uint64(m), k
}

// Add puts a pair into the filter. It panics when the ASIN holds a zero byte or when the key is longer than
// MaxKeyBytes, for Has answers such a pair with no.
func (f *Filter) Add(asin, creative string) {
	var space [MaxKeyBytes]byte
	key, ok := appendKey(space[:0], asin, creative)
	if !ok {
		panic(fmt.Sprintf("bloom: (%.40q, %.40q) cannot be a key: a zero byte in the ASIN, or more than %d bytes",
			asin, creative, MaxKeyBytes))
	}
	f.bits.Add(key)
	f.keys++
}

// Has reports whether the pair may have been added. No is certain.
func (f *Filter) Has(asin, creative string) bool {
	var space [MaxKeyBytes]byte
	key, ok := appendKey(space[:0], asin, creative)
	return ok && f.bits.Test(key)
}

// appendKey appends the ASIN, a zero byte and the creative. Without a zero byte in the ASIN the first one is the
// border, so no two pairs share a key. What does not fit into MaxKeyBytes is no key, and needs no memory either.
func appendKey(dst []byte, asin, creative string) (key []byte, ok bool) {
	if len(asin)+1+len(creative) > MaxKeyBytes || strings.IndexByte(asin, 0) >= 0 {
		return nil, false
	}
	dst = append(dst, asin...)
	dst = append(dst, 0)
	return append(dst, creative...), true
}

// Keys is the number of Add calls that made the filter.
func (f *Filter) Keys() int { return f.keys }

// Bits is m, the number of bits.
func (f *Filter) Bits() uint64 { return uint64(f.bits.Cap()) }

// Hashes is k, the number of bits that each key sets.
func (f *Filter) Hashes() uint { return f.bits.K() }

// Predicted returns the share of strange keys to which a filter of this size says yes once it holds n keys:
// (1 - e^(-kn/m))^k.
func (f *Filter) Predicted(keys int) float64 {
	k := float64(f.Hashes())
	return math.Pow(1-math.Exp(-k*float64(keys)/float64(f.Bits())), k)
}
