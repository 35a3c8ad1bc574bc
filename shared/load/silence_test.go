package load

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheLongestSilenceIsSeenAlsoWhereTheRequestFailed(t *testing.T) {
	const silence = 300 * time.Millisecond
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
	t.Run("a request that still waits when it times out", func(t *testing.T) {
		blocked := make(chan struct{})
		s := serve(t, func(n int64, w http.ResponseWriter) {
			if n == 20 {
				<-blocked
			}
			sayGood(n, w)
		})
		t.Cleanup(func() { close(blocked) }) // runs before the server's own, which waits for its handlers
		config := against(s)
		config.Timeout = silence
		report := run(t, config)
		require.Positive(t, report.Failed)
		require.GreaterOrEqual(t, report.LongestWait, float64(silence.Milliseconds()))
	})
	t.Run("and where none waited, it is the longest latency", func(t *testing.T) {
		report := run(t, against(serve(t, sayGood)))
		require.InDelta(t, report.Latency.Max, report.LongestWait, 0.001+report.Latency.Max/100)
	})
	t.Run("in an open loop it counts from the actual start", func(t *testing.T) {
		s := serve(t, func(n int64, w http.ResponseWriter) {
			if n == 5 {
				time.Sleep(silence)
			}
			time.Sleep(10 * time.Millisecond) // twice the distance of the schedule's requests, so that they queue up
			sayGood(n, w)
		})
		config := against(s)
		config.Duration, config.Processes, config.Concurrency, config.Rate = 600*time.Millisecond, 1, 1, 200
		report := run(t, config)
		require.InDelta(t, report.ActualLatency.Max, report.LongestWait, 0.001+report.LongestWait/100)
		require.Greater(t, report.Latency.Max, report.LongestWait)
	})
}

func TestTheLongestSilenceIsTheLongestOfAllProcesses(t *testing.T) {
	const longest = 300 * time.Millisecond
	c := collection{results: []result{{Totals: totals{Longest: longest}}, {Totals: totals{Longest: time.Millisecond}}}}
	require.Equal(t, longest, c.sum().Longest)
}
