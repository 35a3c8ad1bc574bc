package load

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheServersOwnSettingsAndItsTimeAtTheDatabaseAreReported(t *testing.T) {
	report := run(t, against(serve(t, sayGood)))
	server := report.Servers[0]
	require.Equal(t, Settings{CacheSize: 8560, DBDelayMillis: 2, DBBudgetMillis: 250}, server.Settings)
	require.Equal(t, server.DBReads, server.DBWaited, "counted between the two readings")
	require.Equal(t, 2.5, server.DBTime.P50)
}

func TestAServerThatCountedFromZeroMeanwhileIsNotSubtractedFrom(t *testing.T) {
	before := counters{Uptime: 100, Requests: 5_000, Lookups: 25_000, CPUSeconds: 7}
	for name, row := range map[string]struct{ after, want counters }{
		"one that went on counting":      {counters{Uptime: 112, Requests: 9_000}, before},
		"one that was started anew":      {counters{Uptime: 3, Requests: 9_000}, counters{}},
		"one whose counters were reset":  {counters{Uptime: 112, Requests: 900}, counters{CPUSeconds: 7}},
		"one that nobody else asked for": {counters{Uptime: 112, Requests: 5_000}, before},
	} {
		require.Equal(t, row.want, row.after.countedFrom(before), name)
	}
}
