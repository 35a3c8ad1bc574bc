package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
)

// creatives is how many candidates the generator puts into each request.
const creatives = 5

// Sound holds one measured load to what is true of every honest one, however fast the machine: no request failed, the
// client and the server counted the same requests, each request looked up five creatives, and each lookup ended in
// exactly one place. A machine that is starved may degrade an answer; it is counted then, by both sides.
func Sound(t testing.TB, m lab.Measured) {
	t.Helper()
	require.NotNil(t, m.Report, "%s: the report of the load is missing", m.Name)
	client := *m.Report
	require.Zero(t, client.Failed, "%s: failed requests", m.Name)
	require.Empty(t, client.Errors, "%s: failed requests, by kind", m.Name)
	require.Positive(t, client.OK, "%s: requests", m.Name)
	require.Equal(t, client.OK, client.Latency.Count, "%s: requests, and latencies that the client measured", m.Name)
	require.Equal(t, client.OK, client.Versions[client.Version],
		"%s: answers, and answers of version %s", m.Name, client.Version)
	require.InEpsilon(t, float64(client.OK)/client.Seconds, client.PerSecond, 1e-9, "%s: requests per second", m.Name)
	inTime := int64(0)
	for _, second := range client.Timeline {
		inTime += second.OK
	}
	require.Equal(t, client.OK, inTime, "%s: requests, and those of all seconds", m.Name)

	require.Len(t, client.Servers, 1, "%s: servers that counted", m.Name)
	server := client.Servers[0]
	soundServer(t, m.Name, server)
	require.Equal(t, client.OK, server.Requests, "%s: requests of the client and of the server", m.Name)
	require.Equal(t, client.Degraded, server.Degraded, "%s: degraded answers of the client and of the server", m.Name)
}

func soundServer(t testing.TB, name string, server load.Server) {
	t.Helper()
	for _, count := range []struct {
		of string
		is int64
	}{
		{"bloom_no", server.BloomNo}, {"cache_hits", server.CacheHits}, {"db_keys", server.DBKeys},
		{"degraded", server.Degraded}, {"db_reads", server.DBReads}, {"db_waited", server.DBWaited},
	} {
		require.GreaterOrEqual(t, count.is, int64(0), "%s: %s", name, count.of)
	}
	require.Zero(t, server.Errors, "%s: errors that the server counted", name)
	require.Zero(t, server.Swaps, "%s: version swaps during the load", name)
	require.Equal(t, server.Requests, server.Latency.Count, "%s: requests, and latencies that the server measured", name)
	require.Equal(t, server.Lookups, server.BloomNo+server.CacheHits+server.DBKeys+server.DegradedKeys,
		"%s: lookups = bloom_no + cache_hits + db_keys + degraded_keys", name)
	require.Equal(t, creatives*server.Requests, server.Lookups, "%s: lookups = %d x requests", name, creatives)
	require.LessOrEqual(t, server.Degraded, server.DegradedKeys, "%s: degraded_keys, one or more a degraded answer", name)
	require.LessOrEqual(t, server.DegradedKeys, creatives*server.Degraded,
		"%s: degraded_keys, all of degraded answers", name)
	require.LessOrEqual(t, server.DBReads, server.Requests, "%s: db_reads, at most one a request", name)
	require.LessOrEqual(t, server.DBReads, server.DBKeys+server.DegradedKeys,
		"%s: db_reads, each of at least one lookup", name)
	require.LessOrEqual(t, server.DBKeys, creatives*server.DBReads, "%s: db_keys, all of db_reads", name)
	require.LessOrEqual(t, server.DBWaited, server.DBTime.Count,
		"%s: db_waited, of the requests timed at the database", name)
	if server.Settings.DBDelayMillis == 0 {
		require.Zero(t, server.DBWaited, "%s: db_waited without a delay", name)
	}
}
