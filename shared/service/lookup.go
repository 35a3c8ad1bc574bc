package service

import (
	"slices"
	"time"

	"example.com/relevance-lab/shared/world"
)

// lookup finds the scores of one request: for each creative it asks the filter, then the cache, and what remains goes
// to the database in one batched read.
type lookup struct {
	asin      string
	creatives []string // distinct, in the order of the request
	scores    []world.Score
	rest      []int // the places in creatives of those that only the database can tell
	read      *read
	dbTime    time.Duration // that the request spent at the database, its wait for a worker included; 0: it did not ask
	seen      map[string]struct{}
}

// fewCreatives is up to how many creatives are compared one with another; more go through a map.
const fewCreatives = 16

// ask sets the question, and leaves out what it repeats.
func (l *lookup) ask(asin string, creatives []string) {
	l.asin, l.creatives = asin, l.creatives[:0]
	if len(creatives) <= fewCreatives {
		for _, creative := range creatives {
			if !slices.Contains(l.creatives, creative) {
				l.creatives = append(l.creatives, creative)
			}
		}
		return
	}
	if l.seen == nil {
		l.seen = make(map[string]struct{}, MaxCreatives)
	}
	for _, creative := range creatives {
		if _, again := l.seen[creative]; !again {
			l.seen[creative] = struct{}{}
			l.creatives = append(l.creatives, creative)
		}
	}
	clear(l.seen)
}

// forget drops the request's strings and keeps the memory around them.
func (l *lookup) forget() {
	clear(l.creatives)
	l.asin, l.creatives = "", l.creatives[:0]
}

// run fills scores, and says where each lookup ended. A creative without an answer keeps the score zero.
func (l *lookup) run(s *snapshot, useFilter bool, reads *reader) counts {
	var ended counts
	l.scores = append(l.scores[:0], make([]world.Score, len(l.creatives))...)
	l.rest, l.dbTime = l.rest[:0], 0
	for i, creative := range l.creatives {
		if useFilter && !s.Filter.Has(l.asin, creative) {
			ended.BloomNo++
		} else if score, ok := s.cache.get(l.asin, creative); ok {
			l.scores[i] = score
			ended.CacheHits++
		} else {
			l.rest = append(l.rest, i)
		}
	}
	if len(l.rest) > 0 {
		l.readRest(s, reads, &ended)
	}
	return ended
}

// readRest makes one batched read for the places in l.rest. Without its answer they keep the score zero.
func (l *lookup) readRest(s *snapshot, reads *reader, ended *counts) {
	if l.read == nil {
		l.read = newRead()
	}
	read := l.read
	read.snapshot, read.asin = s, l.asin
	for _, i := range l.rest {
		read.creatives = append(read.creatives, l.creatives[i])
	}
	asked := time.Now()
	began, err := reads.do(read)
	l.dbTime = max(time.Since(asked), 1) // some systems' clocks are coarser than a read is long
	if began {
		ended.DBReads = 1
	}
	if err != nil {
		l.read = nil // it may still be under way, and then belongs to its goroutine alone
		ended.Degraded, ended.DegradedKeys = 1, uint64(len(l.rest))
		return
	}
	for j, i := range l.rest {
		l.scores[i] = read.scores[j]
	}
	ended.DBKeys = uint64(len(l.rest))
	read.forget()
}
