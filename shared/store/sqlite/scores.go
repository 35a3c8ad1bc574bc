package sqlite

import (
	"context"
	"fmt"
	"strings"

	"example.com/relevance-lab/shared/world"
)

// chunk is the largest number of keys that one statement reads: a request of 500 creatives takes five.
const chunk = 100

// Scores implements store.Reader: one statement for up to 100 creatives, another for each 100 more. Once started, a
// statement runs to its end; ctx is looked at before each. Nothing is watched while it runs, because a watcher costs
// about as much as the read.
func (db *DB) Scores(ctx context.Context, asin string, creatives []string, into []world.Score) error {
	_, err := db.read(ctx, asin, creatives, into)
	return err
}

// One reads the score of one pair, and whether the file has it: what a batched read is compared with.
func (db *DB) One(ctx context.Context, asin, creative string) (world.Score, bool, error) {
	creatives, into := [1]string{creative}, [1]world.Score{}
	found, err := db.read(ctx, asin, creatives[:], into[:])
	return into[0], found > 0, err
}

// BatchedRead is the statement that reads n creatives of one ASIN, which is parameter 1. It answers with one row of n
// columns, in the order asked, NULL where there is no such pair.
func BatchedRead(n int) string {
	var query strings.Builder
	for i := range n {
		fmt.Fprintf(&query, "%s(SELECT score FROM scores WHERE asin = ?1 AND creative = ?%d)",
			[...]string{"SELECT ", ", "}[min(i, 1)], i+2)
	}
	return query.String()
}

func (db *DB) read(ctx context.Context, asin string, creatives []string, into []world.Score) (found int, err error) {
	reader, err := db.readers.take(ctx)
	switch {
	case ctx.Err() != nil && err != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, damaged(db.path, err)
	}
	defer db.readers.give(reader)
	for start := 0; start < len(creatives); start += chunk {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		end := min(start+chunk, len(creatives))
		n, err := reader.scores(asin, creatives[start:end], into[start:end])
		if err != nil {
			return 0, damaged(db.path, err)
		}
		found += n
	}
	return found, nil
}
