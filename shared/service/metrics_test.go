package service_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

func TestMetricsInJSONHaveTheNamesThatTheLessonsUse(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	ask(t, url, "B000000001", "cr-1", "nobody's")
	_, text := get(t, url+"/metrics")
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &m))
	for _, name := range strings.Fields("version build rows uptime_s requests lookups bloom_no cache_hits db_reads " +
		"db_keys db_waited db_time_ms degraded degraded_keys errors rejected swaps failed_swaps latency_ms cpu_s " +
		"rss_bytes in_flight config") {
		require.Contains(t, m, name)
	}
	for _, name := range []string{"p50", "p99", "max", "mean", "count"} {
		require.Contains(t, m["latency_ms"], name)
		require.Contains(t, m["db_time_ms"], name)
	}
	require.Equal(t, map[string]any{
		"bloom": true, "cache_size": 8560.0, "db_delay_ms": 0.0, "db_budget_ms": 250.0,
	}, m["config"])
	require.Positive(t, m["rss_bytes"])
	require.True(t, strings.HasPrefix(text, `{"version":"2026-10-30",`), text)
}

func TestMetricsAreInPrometheusFormForWhoAsksForIt(t *testing.T) {
	data := t.TempDir()
	pairs := publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	for range 3 {
		ask(t, url, "B000000001", "nobody's", "somebody's")
	}
	for accept, isText := range map[string]bool{
		"":                 false,
		"*/*":              false,
		"application/json": false,
		"text/html,application/xhtml+xml,*/*;q=0.8": false,
		"text/plain": true,
		"application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1": true,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/metrics", nil)
		require.NoError(t, err)
		request.Header.Set("Accept", accept)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text := read(t, response)
		require.Equal(t, http.StatusOK, response.StatusCode)
		require.Equal(t, !isText, json.Valid([]byte(text)), "%q gets %s", accept, text)
		if accept != "text/plain" {
			continue
		}
		require.Contains(t, text, "\nrelevance_requests_total 3\n")
		m := metrics(t, url)
		require.Contains(t, text, fmt.Sprintf("\nrelevance_lookups_total{ended=\"bloom_no\"} %d\n", m.BloomNo))
		require.Contains(t, text, fmt.Sprintf("\nrelevance_lookups_total{ended=\"cache_hit\"} %d\n", m.CacheHits))
		require.Contains(t, text, "\nrelevance_request_duration_seconds_count 3\n")
		require.Contains(t, text, "\nrelevance_request_duration_seconds_bucket{le=\"+Inf\"} 3\n")
		require.Contains(t, text, fmt.Sprintf("\nrelevance_db_reads_total %d\n", m.DBReads))
		require.Contains(t, text, fmt.Sprintf("\nrelevance_db_duration_seconds_count %d\n", m.DBTime.Count))
		require.Contains(t, text, "\nrelevance_db_waited_total 0\n")
		require.Contains(t, text, `version="2026-10-30"} 1`)
		require.Contains(t, text, fmt.Sprintf("\nrelevance_rows %d\n", pairs.Len()))
		require.Contains(t, text, "\nprocess_resident_memory_bytes ")
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		require.NoError(t, err)
		for _, problem := range problems {
			require.False(t, strings.HasPrefix(problem.Metric, "relevance_"), "%v", problem)
		}
	}
}

func jsonOf(t *testing.T, value any) string {
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func TestOnlyACallerOnTheServersOwnMachineMayResetTheMetrics(t *testing.T) {
	api := service.New(service.Default(), scripted{scores: database(found), keys: everything()}, io.Discard)
	url := start(t, api)
	for caller, status := range map[string]int{
		"127.0.0.1:40000": 200, "[::1]:40000": 200, "[::ffff:127.0.0.1]:40000": 200,
		"192.0.2.1:40000": 403, "[2001:db8::1]:40000": 403, "10.0.0.1:1": 403, "nonsense": 403, "": 403,
	} {
		ask(t, url, "A", "cr-1")
		request := httptest.NewRequest(http.MethodPost, "/metrics/reset", nil)
		request.RemoteAddr = caller
		for _, header := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "Cf-Connecting-Ip"} {
			request.Header.Set(header, "127.0.0.1") // says whatever its sender likes
		}
		response := httptest.NewRecorder()
		api.ServeHTTP(response, request)
		require.Equal(t, status, response.Code, caller)
		require.True(t, json.Valid(response.Body.Bytes()))
		require.Equal(t, status == 403, api.Metrics().Requests > 0)
	}
}

func TestAPageOfAnotherSiteMayNotResetTheMetrics(t *testing.T) {
	api := service.New(service.Default(), scripted{scores: database(found)}, io.Discard)
	url := start(t, api)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/metrics/reset", nil)
	require.NoError(t, err)
	request.Header.Set("Origin", "https://example.org")
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, response.StatusCode, read(t, response))
}

func TestAResetSetsEveryCounterAndTheLatenciesToZero(t *testing.T) {
	url := start(t, service.New(service.Default(), scripted{scores: database(found), keys: everything()}, io.Discard))
	ask(t, url, "A", "cr-1", "cr-2", "nobody's")
	post(t, url, "{}")
	before := metrics(t, url)
	require.EqualValues(t, 1, before.Rejected)
	require.EqualValues(t, 3, before.Lookups)
	response, err := http.Post(url+"/metrics/reset", "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, read(t, response))
	m := metrics(t, url)
	require.Zero(t, m.Requests+m.Lookups+m.BloomNo+m.CacheHits+m.DBReads+m.DBKeys)
	require.Zero(t, m.Degraded+m.DegradedKeys+m.Errors+m.Rejected)
	require.Zero(t, m.Latency)
	require.Equal(t, world.FirstDay, m.Version)
	require.GreaterOrEqual(t, m.UptimeS, before.UptimeS)
	ask(t, url, "A", "cr-1")
	require.EqualValues(t, 1, metrics(t, url).CacheHits, "the cache is not emptied")
}

func TestHealthTellsWhichVersionIsServed(t *testing.T) {
	data := t.TempDir()
	pairs := publish(t, data, small(), world.FirstDay)
	manifest, err := release.At(data).Current()
	require.NoError(t, err)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	status, text := get(t, url+"/healthz")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, jsonOf(t, map[string]any{
		"status": "ok", "version": "2026-10-30", "build": manifest.Build, "rows": pairs.Len(),
		"world": pairs.World().Fingerprint(), "seed": 42, "threshold": 0.6,
	}), text)
}

func TestTheDashboardAsksNobodyButItsOwnServer(t *testing.T) {
	url := start(t, service.New(service.Default(), scripted{scores: database(found)}, io.Discard))
	response, err := http.Get(url + "/")
	require.NoError(t, err)
	page := read(t, response)
	require.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	policy := response.Header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, page, "http:")
	require.NotContains(t, page, "https:")
	require.NotContains(t, page, "style=", "the policy would ignore it")
}
