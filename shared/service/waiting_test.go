package service_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

// timed runs the API on a clock of its own, which stands still while anybody works.
func timed(t *testing.T, config service.Config, scores database, ask func(t *testing.T, api *service.Service)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		api := service.New(config, scripted{scores: scores, keys: everything()}, io.Discard)
		defer func() { require.NoError(t, api.Close(context.Background())) }()
		ask(t, api)
	})
}

// answered asks without a network in between.
func answered(t *testing.T, api *service.Service, creatives ...string) {
	t.Helper()
	body := strings.Replace(question(creatives...), "B000000042", "A", 1)
	request := httptest.NewRequest(http.MethodPost, "/relevance", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	api.ServeHTTP(response, request)
	require.Equal(t, http.StatusOK, response.Code, response.Body)
}

func TestTheRequestsThatWaitedAreThoseWhoseReadWasDelayed(t *testing.T) {
	var delayed atomic.Uint64 // counted by the database, where the service counts by the clock
	slow := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		delayed.Add(1)
		time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
		return found(ctx, asin, creatives, into)
	}
	config := service.Default()
	config.CacheSize, config.DBDelay = 10, 2*time.Millisecond
	timed(t, config, slow, func(t *testing.T, api *service.Service) {
		const lanes, each = 8, 50
		var running sync.WaitGroup
		for range lanes {
			running.Go(func() {
				for range each {
					answered(t, api, fmt.Sprintf("cr-%d", rand.IntN(20)), "nobody's")
				}
			})
		}
		running.Wait()
		m := api.Metrics()
		require.EqualValues(t, lanes*each, m.Requests)
		require.Positive(t, m.CacheHits, "some requests do not wait")
		require.Equal(t, delayed.Load(), m.DBWaited)
		require.Equal(t, m.DBReads, m.DBWaited)
		require.EqualValues(t, m.DBReads, m.DBTime.Count)
		require.GreaterOrEqual(t, m.DBTime.Mean, 2.0)
		require.InDelta(t, 4, m.DBTime.Max, 0.01)

		request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		request.Header.Set("Accept", "text/plain")
		text := httptest.NewRecorder()
		api.ServeHTTP(text, request)
		require.Contains(t, text.Body.String(), fmt.Sprintf("\nrelevance_db_waited_total %d\n", m.DBWaited))
		require.Contains(t, text.Body.String(), fmt.Sprintf("\nrelevance_db_duration_seconds_count %d\n", m.DBWaited))
		require.Contains(t, text.Body.String(), "\nrelevance_db_duration_seconds_bucket{le=\"0.001\"} 0\n")
	})
}

func TestAReadThatIsFasterThanTheClockIsTimedToo(t *testing.T) {
	timed(t, service.Default(), found, func(t *testing.T, api *service.Service) {
		answered(t, api, "cr-1")     // within one moment of this clock
		answered(t, api, "nobody's") // asks no database
		m := api.Metrics()
		require.EqualValues(t, 1, m.DBReads)
		require.EqualValues(t, 1, m.DBTime.Count)
		require.Zero(t, m.DBWaited)
	})
}

func TestABudgetThatIsSpentBeforeTheDelayIsNotTheDelay(t *testing.T) {
	config := service.Default()
	config.DBDelay, config.DBBudget = 20*time.Millisecond, 5*time.Millisecond
	timed(t, config, found, func(t *testing.T, api *service.Service) {
		answered(t, api, "cr-1")
		m := api.Metrics()
		require.EqualValues(t, 1, m.Degraded)
		require.EqualValues(t, 1, m.DBTime.Count)
		require.InDelta(t, 5, m.DBTime.Max, 0.01)
		require.Zero(t, m.DBWaited)
	})
}

// unread is a client that takes no byte of its answer until it is told to.
type unread struct {
	*httptest.ResponseRecorder
	writing, resume chan struct{}
}

func (u unread) Write(text []byte) (int, error) {
	close(u.writing)
	<-u.resume
	return u.ResponseRecorder.Write(text)
}

func TestAClientThatIsSlowToTakeItsAnswerKeepsNoVersionOpenAndIsInNoLatency(t *testing.T) {
	closed := make(chan struct{})
	source := &flaky{build: "2026-10-30-aaaaaaaa"}
	source.scores = closing{database: found, close: func() {
		select {
		case <-closed: // the second version, at the end
		default:
			close(closed)
		}
	}}
	synctest.Test(t, func(t *testing.T) {
		config := service.Default()
		config.Bloom = false
		api := service.New(config, source, io.Discard)
		client := unread{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
		request := httptest.NewRequest(http.MethodPost, "/relevance", strings.NewReader(question("cr-1")))
		request.Header.Set("Content-Type", "application/json")
		var asking sync.WaitGroup
		asking.Go(func() { api.ServeHTTP(client, request) })
		<-client.writing
		require.EqualValues(t, 1, api.Metrics().Requests, "whoever has an answer finds it counted")
		source.set("2026-10-31-bbbbbbbb", nil)
		time.Sleep(time.Second) // on the clock of the test: several looks of the watcher
		synctest.Wait()
		select {
		case <-closed:
		default:
			require.Fail(t, "the old version is still open")
		}
		close(client.resume)
		asking.Wait()
		require.Equal(t, http.StatusOK, client.Code)
		require.Contains(t, client.Body.String(), `{"version":"2026-10-30","scores":{"cr-1":`)
		require.Less(t, api.Metrics().Latency.Max, 1000.0)
		require.NoError(t, api.Close(context.Background()))
	})
}
