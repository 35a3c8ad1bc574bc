package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

// TestMain is also the API as a process of its own, for the tests that measure memory and open files.
func TestMain(m *testing.M) {
	proc.Dispatch(proc.Role{Name: "api", Run: func(ctx context.Context, args []string) error {
		config := service.Default()
		config.Port = 0
		return service.Run(ctx, config, release.At(args[0]), os.Stdout)
	}})
	const client = "github.com/valyala/fasthttp." // whose clean-up sleeps for seconds before it ends
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"), // half a second after a 413
		goleak.IgnoreAnyFunction(client+"(*Client).mCleaner"),
		goleak.IgnoreAnyFunction(client+"(*HostClient).connsCleaner"),
		goleak.IgnoreAnyFunction(client+"(*TCPDialer).tcpAddrsClean"))
}

// small is a world that is scored and published in a few milliseconds.
func small() world.Config {
	return world.Config{Seed: 42, ASINs: 400, Categories: 10, Creatives: 120}
}

// publish publishes a day's world and returns its pairs.
func publish(t testing.TB, data string, config world.Config, day world.Day) *batch.Pairs {
	t.Helper()
	_, err := batch.Run(context.Background(), batch.Options{
		Day: day, Threshold: 600, World: config, Data: data, Force: true, Out: io.Discard, Program: "test",
	})
	require.NoError(t, err)
	pairs, err := batch.Score(context.Background(), world.New(config, day), 600)
	require.NoError(t, err)
	return pairs
}

// start serves a handler on a free port until the test ends, and closes it when it is the API.
func start(t testing.TB, handler http.Handler) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: handler}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
		http.DefaultClient.CloseIdleConnections()
		if api, ok := handler.(*service.Service); ok {
			limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			require.NoError(t, api.Close(limit))
		}
	})
	return "http://" + listener.Addr().String()
}

// lines collects what a server has to say.
type lines struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lines) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *lines) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

func (l *lines) count(part string) int { return strings.Count(l.String(), part) }

// answer is what POST /relevance answers.
type answer struct {
	Version  world.Day
	Scores   map[string]float64
	Degraded bool
}

func ask(t testing.TB, url, asin string, creatives ...string) (a answer) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"asin": asin, "creatives": creatives})
	require.NoError(t, err)
	status, text := post(t, url, string(body))
	require.Equal(t, http.StatusOK, status, text)
	require.NoError(t, json.Unmarshal([]byte(text), &a), text)
	return a
}

func post(t testing.TB, url, body string) (status int, text string) {
	t.Helper()
	response, err := http.Post(url+"/relevance", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	return response.StatusCode, read(t, response)
}

func get(t testing.TB, url string) (status int, text string) {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	return response.StatusCode, read(t, response)
}

func read(t testing.TB, response *http.Response) string {
	t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(text)
}

func metrics(t testing.TB, url string) (m service.Metrics) {
	t.Helper()
	status, text := get(t, url+"/metrics")
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	return m
}

// requireSum requires the one equation that always holds.
func requireSum(t testing.TB, m service.Metrics) {
	t.Helper()
	require.Equal(t, m.Lookups, m.BloomNo+m.CacheHits+m.DBKeys+m.DegradedKeys)
}

// scripted is a source whose one version reads from a store that a test makes up. It stands for what a file on a disk
// cannot do on command: hang, and fail.
type scripted struct {
	scores store.Reader
	keys   []store.Row
}

func (s scripted) Live(context.Context) (string, error) { return "2026-10-30-00000000", nil }

func (s scripted) Load(context.Context) (*service.Version, error) {
	filter := bloom.New(len(s.keys), bloom.FalsePositives)
	for _, row := range s.keys {
		filter.Add(row.ASIN, row.Creative)
	}
	return &service.Version{
		Manifest: release.Manifest{Day: world.FirstDay, Build: "2026-10-30-00000000", Rows: len(s.keys)},
		Filter:   filter, Scores: s.scores, Unpin: func() error { return nil },
	}, nil
}

// database is a store of which a test decides what a read does.
type database func(ctx context.Context, asin string, creatives []string, into []world.Score) error

func (d database) Scores(ctx context.Context, asin string, creatives []string, into []world.Score) error {
	return d(ctx, asin, creatives, into)
}

func (database) Close() error { return nil }

// everything makes up 20 keys of one product, cr-0 to cr-19.
func everything() (keys []store.Row) {
	for _, creative := range names(20) {
		keys = append(keys, store.Row{ASIN: "A", Creative: creative, Score: 700})
	}
	return keys
}
