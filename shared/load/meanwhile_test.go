package load

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMeanwhileRunsBesideTheMeasuredPhaseFromItsStart(t *testing.T) {
	s := serve(t, sayGood)
	config := against(s)
	config.Warmup = 60
	var askedBefore, askedAfter int64
	var began time.Time
	config.Meanwhile = func(_ context.Context, start time.Time) error {
		began = start
		require.False(t, time.Now().Before(start))
		askedBefore = s.asked.Load()
		for s.asked.Load() < askedBefore+100 {
			time.Sleep(time.Millisecond)
		}
		askedAfter = s.asked.Load()
		return nil
	}
	report := run(t, config)
	require.GreaterOrEqual(t, askedBefore, int64(60), "the warm-up is over")
	require.GreaterOrEqual(t, askedAfter, askedBefore+100, "and the load goes on")
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

func TestTheLongestSilenceIsSeenAlsoWhereTheRequestFailed(t *testing.T) {
	const silence = 150 * time.Millisecond
	for name, end := range map[string]func(int64, http.ResponseWriter){
		"and is answered": sayGood,
		"and fails":       func(_ int64, w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		t.Run("a request that waits "+name, func(t *testing.T) {
			s := serve(t, func(n int64, w http.ResponseWriter) {
				if n == 20 {
					time.Sleep(silence)
					end(n, w)
					return
				}
				sayGood(n, w)
			})
			report := run(t, against(s))
			require.GreaterOrEqual(t, report.LongestWait, float64(silence.Milliseconds()))
			require.Less(t, report.LongestWait, 5000.0)
		})
	}
	t.Run("and where none waited, it is the longest latency", func(t *testing.T) {
		report := run(t, against(serve(t, sayGood)))
		require.InDelta(t, report.Latency.Max, report.LongestWait, 0.001+report.Latency.Max/100)
	})
}

func TestACheckThatCannotBeMadeEndsTheRunBeforeItWarmsUp(t *testing.T) {
	s := serve(t, sayGood)
	s.world = unlucky
	config := against(s)
	config.Seed, config.World, config.Warmup = unlucky.Seed, &unlucky, 60
	_, err := Run(t.Context(), config, io.Discard)
	require.ErrorContains(t, err, "load process ")
	require.Zero(t, s.asked.Load())
}

func TestTheServersOwnSettingsAndItsTimeAtTheDatabaseAreReported(t *testing.T) {
	report := run(t, against(serve(t, sayGood)))
	server := report.Servers[0]
	require.Equal(t, Settings{CacheSize: 8560, DBDelayMillis: 2, DBBudgetMillis: 250}, server.Settings)
	require.Equal(t, server.DBReads, server.DBWaited, "counted between the two readings")
	require.Equal(t, 2.5, server.DBTime.P50)
}
