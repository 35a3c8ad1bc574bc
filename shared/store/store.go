// Package store says what a score store is; its sub-packages are the stores. Each wraps one dependency: sqlite keeps
// a version in a file on a laptop.
//
// A store holds the pairs of one version and nothing else. A pair that it does not hold is not relevant, so its
// score is zero: a missing row is an answer, not an error.
package store

import (
	"context"

	"example.com/relevance-lab/shared/world"
)

// Row is one relevant pair as a store keeps it.
type Row struct {
	ASIN     string
	Creative string
	Score    world.Score
}

// Reader reads the scores of one version. Its methods may be called from many goroutines at once.
type Reader interface {
	// Scores reads, in one batched read, the score of asin for each of creatives and writes it to the same place of
	// into, which is as long as creatives. A pair without a row gets zero. After an error the content of into means
	// nothing.
	Scores(ctx context.Context, asin string, creatives []string, into []world.Score) error

	// Close releases what the reader holds. It is called once, after the last read has returned.
	Close() error
}
