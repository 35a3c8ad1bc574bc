package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/relevance-lab/shared/world"
)

// adminTimeout bounds the questions that are not part of the load: health, metrics, reset.
const adminTimeout = 10 * time.Second

// server is the API's side of the questions that are not part of the load.
type server struct {
	url    *url.URL
	client *http.Client
}

func newServer(target *url.URL) *server {
	transport := &http.Transport{DisableKeepAlives: true}
	return &server{url: target, client: &http.Client{Timeout: adminTimeout, Transport: transport}}
}

// health is the part of GET /healthz that the generator needs.
type health struct {
	Version   world.Day   `json:"version"`
	World     string      `json:"world"` // fingerprint
	Seed      uint64      `json:"seed"`
	Threshold world.Score `json:"threshold"`
	Error     string      `json:"error"`
}

// health returns the live version, or an error that says what to do.
func (s *server) health(ctx context.Context) (health, error) {
	var got health
	status, err := s.call(ctx, http.MethodGet, "healthz", &got)
	switch {
	case refused(err):
		return health{}, fmt.Errorf("no server at %s; "+
			"start one with: go run ./steps/04-api, or name another with --url", s.url)
	case status != 0 && status != http.StatusOK && got.Error != "":
		return health{}, fmt.Errorf("the server at %s is not ready: %s", s.url, got.Error)
	case err != nil:
		return health{}, err
	}
	if _, err := world.ParseDay(string(got.Version)); err != nil || got.World == "" {
		return health{}, fmt.Errorf("%s is not a relevance API: its /healthz names no version and no world; "+
			"check --url", s.url)
	}
	return got, nil
}

// serves checks that the server's world is the one that the generator draws from.
func (s *server) serves(live health, config world.Config) error {
	if live.Seed == config.Seed && live.World == world.New(config, live.Version).Fingerprint() {
		return nil
	}
	if live.Seed != config.Seed {
		return fmt.Errorf("the server at %s serves the world of LAB_SEED=%d, this generator draws from LAB_SEED=%d; "+
			"run both with the same LAB_SEED", s.url, live.Seed, config.Seed)
	}
	return fmt.Errorf("the server at %s serves another world of LAB_SEED=%d (fingerprint %.12s) than this program draws; "+
		"build and publish both from the same checkout", s.url, live.Seed, live.World)
}

// counters is the part of GET /metrics that the report needs.
type counters struct {
	Version      world.Day     `json:"version"`
	Uptime       float64       `json:"uptime_s"`
	Requests     int64         `json:"requests"`
	Lookups      int64         `json:"lookups"`
	BloomNo      int64         `json:"bloom_no"`
	CacheHits    int64         `json:"cache_hits"`
	DBReads      int64         `json:"db_reads"`
	DBKeys       int64         `json:"db_keys"`
	DBWaited     int64         `json:"db_waited"`
	Degraded     int64         `json:"degraded"`
	DegradedKeys int64         `json:"degraded_keys"`
	Errors       int64         `json:"errors"`
	Swaps        int64         `json:"swaps"`
	FailedSwaps  int64         `json:"failed_swaps"`
	Latency      ServerLatency `json:"latency_ms"`
	DBTime       ServerLatency `json:"db_time_ms"`
	Settings     Settings      `json:"config"`
	CPUSeconds   float64       `json:"cpu_s"`
	RSSBytes     int64         `json:"rss_bytes"`
}

// countedFrom returns what to subtract from the later reading c: an earlier one, or nothing of what has counted from
// zero since then, because the server was started anew or somebody reset its counters.
func (c counters) countedFrom(earlier counters) counters {
	switch {
	case c.Uptime < earlier.Uptime:
		return counters{}
	case c.Requests < earlier.Requests:
		return counters{CPUSeconds: earlier.CPUSeconds} // which no reset touches
	}
	return earlier
}

// Settings are those of a server that change what a request costs, as it says itself.
type Settings struct {
	Bloom          bool  `json:"bloom"`
	CacheSize      int   `json:"cache_size"` // entries; 0: no cache
	DBDelayMillis  int64 `json:"db_delay_ms"`
	DBBudgetMillis int64 `json:"db_budget_ms"`
}

// ServerLatency is measured inside the server, in milliseconds, since its counters were last reset.
type ServerLatency struct {
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
	Mean  float64 `json:"mean"`
	Count int64   `json:"count"`
}

// metrics returns the server's counters; known is false for a server that has none, such as a bare handler that the
// API is compared with.
func (s *server) metrics(ctx context.Context) (got counters, known bool, err error) {
	status, err := s.call(ctx, http.MethodGet, "metrics", &got)
	if status == http.StatusNotFound {
		return counters{}, false, nil
	}
	return got, err == nil, err
}

// reset sets the server's counters to zero.
func (s *server) reset(ctx context.Context) error {
	status, err := s.call(ctx, http.MethodPost, "metrics/reset", nil)
	if status == http.StatusNotFound {
		return nil // it has no counters
	}
	return err
}

// call makes one request and reads the JSON answer into into. status is 0 when there was no answer.
func (s *server) call(ctx context.Context, method, path string, into any) (status int, err error) {
	address := s.url.JoinPath(path).String()
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return 0, fmt.Errorf("%s %s: %w", method, address, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return response.StatusCode, fmt.Errorf("%s %s: %w", method, address, err)
	}
	if into != nil {
		err = json.Unmarshal(body, into)
	}
	if response.StatusCode/100 != 2 {
		return response.StatusCode, fmt.Errorf("%s %s answered %s: %s", method, address, response.Status, excerpt(body))
	}
	if err != nil {
		return response.StatusCode, fmt.Errorf("%s %s: the answer is not the JSON of a relevance API: %w",
			method, address, err)
	}
	return response.StatusCode, nil
}

// local reports whether the server runs on this machine, so that its CPU is this machine's.
func (s *server) local() bool {
	host := s.url.Hostname()
	return host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1"
}
