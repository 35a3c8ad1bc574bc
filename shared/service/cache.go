package service

import (
	"strings"

	"github.com/maypok86/otter/v2"

	"example.com/relevance-lab/shared/world"
)

// key is a pair. Two strings and not their concatenation: building one would allocate at every lookup.
type key struct{ asin, creative string }

// cache keeps the scores of the pairs that are asked for most. Zero is a score like any other: that a pair is not
// relevant is kept too (negative caching). The zero value is the cache that was not built; it never has anything.
type cache struct {
	hot *otter.Cache[key, world.Score]
}

// newCache returns a cache of about size entries. A size of zero builds none: to otter a maximum of zero means
// "without limit".
func newCache(size int) cache {
	if size <= 0 {
		return cache{}
	}
	return cache{otter.Must(&otter.Options[key, world.Score]{MaximumSize: size})}
}

func (c cache) get(asin, creative string) (world.Score, bool) {
	if c.hot == nil {
		return 0, false
	}
	return c.hot.GetIfPresent(key{asin, creative})
}

// put keeps copies of the strings, which are parts of a request's body: a key of a few bytes must not hold 64 KiB.
func (c cache) put(asin string, creatives []string, scores []world.Score) {
	if c.hot == nil {
		return
	}
	asin = strings.Clone(asin)
	for i, creative := range creatives {
		c.hot.Set(key{asin, strings.Clone(creative)}, scores[i])
	}
}
