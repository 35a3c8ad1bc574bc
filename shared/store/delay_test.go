package store_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

// counting is a store that answers 700 and counts.
type counting struct{ reads, closes int }

func (c *counting) Scores(_ context.Context, _ string, _ []string, into []world.Score) error {
	c.reads++
	for i := range into {
		into[i] = 700
	}
	return nil
}

func (c *counting) Close() error {
	c.closes++
	return nil
}

func TestADelayedReaderAnswersAfterTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beneath := &counting{}
		into := make([]world.Score, 2)
		start := time.Now()
		require.NoError(t, store.Delayed(beneath, 2*time.Millisecond).Scores(t.Context(), "B1", []string{"a", "b"}, into))
		assert.Equal(t, 2*time.Millisecond, time.Since(start))
		assert.Equal(t, []world.Score{700, 700}, into)
		assert.Equal(t, 1, beneath.reads)
	})
}

func TestADelayEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		beneath := &counting{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		start := time.Now()
		err := store.Delayed(beneath, time.Hour).Scores(ctx, "B1", []string{"a"}, make([]world.Score, 1))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Millisecond, time.Since(start))
		assert.Zero(t, beneath.reads, "the store was read after all")
	})
}

func TestNoDelayIsTheReaderItself(t *testing.T) {
	beneath := &counting{}
	for _, delay := range []time.Duration{0, -time.Second} {
		assert.Same(t, store.Reader(beneath), store.Delayed(beneath, delay))
	}
}

func TestClosingADelayedReaderClosesTheStore(t *testing.T) {
	beneath := &counting{}
	require.NoError(t, store.Delayed(beneath, time.Second).Close())
	assert.Equal(t, 1, beneath.closes)
}
