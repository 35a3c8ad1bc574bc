package world

import (
	"strconv"
	"strings"
)

const (
	asinPrefix = "B"
	maxASINs   = 1_000_000_000 // what the nine digits of an id can tell apart
)

// ASINs returns the number of products.
func (w *World) ASINs() int { return len(w.asins) }

// ASIN returns the id of product i: "B000000042" for 42. The order of ids as text is the order of their numbers.
func (w *World) ASIN(i int) string { return string(appendASIN(nil, i)) }

// HasASIN tells whether id belongs to a product of this world.
func (w *World) HasASIN(id string) bool {
	i, ok := numberIn(id, asinPrefix)
	return ok && i < len(w.asins) && string(appendASIN(nil, i)) == id
}

// ASINVector returns where product i lies on the day. The caller must not change it.
func (w *World) ASINVector(i int) *Vector { return &w.asins[i] }

// ASINCategory returns the category of product i. All categories are equally large, give or take one product.
func (w *World) ASINCategory(i int) int { return i % len(w.centres) }

func (d draws) asins(config Config, centres []Vector) []Vector {
	vectors := make([]Vector, config.ASINs)
	for i := range vectors {
		vectors[i] = d.place(kindASIN, i, &centres[i%len(centres)])
	}
	return vectors
}

// appendASIN appends the id of product i: the prefix and nine digits.
func appendASIN(dst []byte, i int) []byte {
	dst = append(dst, asinPrefix...)
	for limit := maxASINs / 10; limit > max(i, 1); limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(i), 10)
}

// numberIn reads the number behind the prefix of an id. The id may still write it in another form than the world does.
func numberIn(id, prefix string) (int, bool) {
	digits, found := strings.CutPrefix(id, prefix)
	number, err := strconv.ParseUint(digits, 10, 31)
	return int(number), found && err == nil
}
