package load

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMeanwhileRunsBesideTheMeasuredPhaseFromItsStart(t *testing.T) {
	s := serve(t, sayGood)
	config := against(s)
	config.Warmup, config.Duration = 60, time.Second
	var askedBefore, askedAfter int64
	var began, called time.Time
	config.Meanwhile = func(_ context.Context, start time.Time) error {
		began, called = start, time.Now()
		askedBefore = s.asked.Load()
		for s.asked.Load() == askedBefore && time.Since(start) < config.Duration { // a busy machine may make none
			time.Sleep(time.Millisecond)
		}
		askedAfter = s.asked.Load()
		return nil
	}
	report := run(t, config)
	require.False(t, called.Before(began))
	require.GreaterOrEqual(t, askedBefore, int64(60), "the warm-up is over")
	require.Greater(t, askedAfter, askedBefore, "and the load goes on")
	require.True(t, began.Equal(report.StartedAt))
}

func TestTheRunEndsWithTheErrorOfMeanwhile(t *testing.T) {
	config := against(serve(t, sayGood))
	config.Duration = time.Minute
	config.Meanwhile = func(context.Context, time.Time) error { return errors.New("the publish failed") }
	began := time.Now()
	_, err := Run(t.Context(), config, io.Discard)
	require.EqualError(t, err, "the publish failed")
	require.Less(t, time.Since(began), 20*time.Second)
}

func TestMeanwhileIsCancelledWithTheRunAndWaitedFor(t *testing.T) {
	config := against(serve(t, sayGood))
	config.Duration = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	var ended atomic.Bool
	config.Meanwhile = func(ctx context.Context, _ time.Time) error {
		cancel()
		<-ctx.Done()
		ended.Store(true)
		return ctx.Err()
	}
	_, err := Run(ctx, config, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, ended.Load())
}

func TestARunWaitsForWhatIsDoneBesideItAlsoWhenThatTakesLonger(t *testing.T) {
	const beside = 2 * time.Second // many times the measured phase
	config := against(serve(t, sayGood))
	var ended atomic.Bool
	config.Meanwhile = func(ctx context.Context, start time.Time) error {
		select {
		case <-time.After(time.Until(start.Add(beside))):
		case <-ctx.Done():
			return ctx.Err()
		}
		ended.Store(true)
		return nil
	}
	report := run(t, config)
	require.True(t, ended.Load())
	require.Less(t, report.Seconds, beside.Seconds(), "the measured phase ends by itself")
	require.EqualValues(t, report.OK, report.Server().Requests)
}
