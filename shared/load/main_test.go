package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/world"
)

func TestMain(m *testing.M) {
	proc.Dispatch(Worker(func(_ context.Context, task Task) (Check, error) {
		if task.World.Seed == unlucky.Seed {
			return nil, errors.New("out of luck")
		}
		return refuseMarked, noteTask(os.Getenv(notebook), task)
	}))
	goleak.VerifyTestMain(m)
}

// notebook names the file in which the test's load processes note the task of each check that they make.
const notebook = "LOAD_TEST_NOTEBOOK"

func noteTask(path string, task Task) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(file).Encode(task), file.Close())
}

// refuseMarked is the check of the test's load processes: it does not like answers with a negative score.
func refuseMarked(asin string, creatives []string, body []byte) error {
	if strings.Contains(string(body), ":-1") {
		return fmt.Errorf("%s has a negative score for one of %d creatives", asin, len(creatives))
	}
	return nil
}

const threshold = world.Score(600)

// unlucky is a world for which the test's load processes cannot make their check.
var unlucky = world.Config{Seed: 13, ASINs: 200, Categories: 5, Creatives: 60}

// small is a world that is scored at once.
var small = world.Config{Seed: 42, ASINs: 200, Categories: 5, Creatives: 60}

func trafficOf(t testing.TB, config world.Config) *Traffic {
	t.Helper()
	pairs, err := batch.Score(t.Context(), world.New(config, world.FirstDay), threshold)
	require.NoError(t, err)
	traffic, err := NewTraffic(pairs, config.Seed)
	require.NoError(t, err)
	return traffic
}

const goodAnswer = `{"version":"2026-10-30","scores":{"cr-1":0.9,"cr-2":0.8,"cr-3":0.0,"cr-4":0.0,"cr-5":0.7}}`

// bareServer is a server that looks like the API and answers as it is told.
type bareServer struct {
	*httptest.Server
	asked  atomic.Int64 // questions to /relevance
	resets atomic.Int64
	world  world.Config
	answer func(n int64, w http.ResponseWriter) // n counts from 1
}

func serve(t *testing.T, answer func(n int64, w http.ResponseWriter)) *bareServer {
	t.Helper()
	s := &bareServer{world: small, answer: answer}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func sayGood(_ int64, w http.ResponseWriter) { _, _ = io.WriteString(w, goodAnswer) }

func (s *bareServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/relevance":
		var question struct {
			ASIN      string   `json:"asin"`
			Creatives []string `json:"creatives"`
		}
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil || len(question.Creatives) != CreativesPerRequest {
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
			return
		}
		s.answer(s.asked.Add(1), w)
	case "/healthz":
		fmt.Fprintf(w, `{"version":"2026-10-30","world":%q,"seed":%d,"threshold":0.6}`,
			world.New(s.world, world.FirstDay).Fingerprint(), s.world.Seed)
	case "/metrics":
		asked := s.asked.Load()
		fmt.Fprintf(w, `{"version":"2026-10-30","uptime_s":9,"requests":%d,"lookups":%d,"bloom_no":%d,"cache_hits":%d,
			"db_reads":%d,"db_keys":%d,"db_waited":%d,"latency_ms":{"p50":0.1,"p99":1.5,"max":3},"db_time_ms":{"p50":2.5},
			"cpu_s":%g,"config":{"bloom":false,"cache_size":8560,"db_delay_ms":2,"db_budget_ms":250}}`,
			asked, asked*5, asked*2, asked, asked, asked*2, asked, float64(asked)/1000)
	case "/metrics/reset":
		s.resets.Add(1)
	default:
		http.NotFound(w, r)
	}
}

// against returns a short closed loop on the server.
func against(s *bareServer) Config {
	return Config{
		URLs: []string{s.URL}, Duration: 300e6, Processes: 2, Concurrency: 3, Seed: small.Seed, World: &small,
	}
}

func run(t *testing.T, config Config) *Report {
	t.Helper()
	report, err := Run(t.Context(), config, io.Discard)
	require.NoError(t, err)
	return report
}

// attackOn returns the work of one process, run inside the test.
func attackOn(t *testing.T, s *bareServer, config Config) *attack {
	t.Helper()
	target, err := url.Parse(s.URL)
	require.NoError(t, err)
	a, err := newAttack(trafficOf(t, small), []*url.URL{target}, config, 0, nil)
	require.NoError(t, err)
	t.Cleanup(a.close)
	return a
}
