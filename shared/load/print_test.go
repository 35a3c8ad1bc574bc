package load

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/relevance-lab/shared/world"
)

// figures are those of the original write-up's first load test.
func figures() *Report {
	return &Report{
		Config: Config{Reset: true, Processes: 2, Concurrency: 32},
		OK:     8_102, Seconds: 12.18, PerSecond: 665.2,
		Latency:     Latency{Count: 8_102, P50: 59.1, P99: 457.5, Max: 864.8},
		Little:      Little{PerSecond: 665.2, MeanSeconds: 0.0946, InFlight: 62.93, Sampled: 62.8, Limit: 64},
		Connections: Connections{Opened: 64, Ideal: 64},
		CPU:         CPU{Cores: 2, Generator: 1.12, Server: 0.71, Known: true, Local: true},
		Servers: []Server{{
			Version: "2026-10-30", Lookups: 40_510, BloomNo: 20_255, CacheHits: 10_127, DBKeys: 10_128, DBReads: 4_591,
			Latency: ServerLatency{P50: 0.083, P99: 1.994, Max: 16.939},
		}},
	}
}

func printed(r *Report) string {
	var text bytes.Buffer
	r.Print(&text)
	return text.String()
}

func TestTheReportReadsLikeTheOriginalOne(t *testing.T) {
	golden(t, "report.txt", printed(figures()))
}

func TestTheReportTellsWhatIsOutOfTheOrdinary(t *testing.T) {
	r := figures()
	r.OK, r.Failed, r.PerSecond = 30_000, 12, 2_500.4
	r.Errors = []ErrorKind{{Kind: "timeout", Count: 10, First: "read: i/o timeout"}, {Kind: "status 503", Count: 2, First: `""`}}
	r.Degraded = 1_234
	r.Latency = Latency{Count: 30_000, P50: 1.234, P99: 22.25, P999: 101, Max: 400.04}
	r.ActualLatency = &Latency{Count: 30_000, P50: 0.9, P99: 2, P999: 8, Max: 400}
	r.Offered = &Offered{Asked: 5_000, Sent: 2_501, Unsent: 29_988}
	r.Little = Little{PerSecond: 2_501, MeanSeconds: 0.00123, InFlight: 3.08, Sampled: 3.1, Limit: 64}
	r.Versions = map[world.Day]int64{"2026-10-30": 20_000, "2026-10-31": 10_000}
	r.Connections.Opened = 76
	r.Config.Reset = false
	r.Servers = append(r.Servers, r.Servers[0])
	r.Servers[0].URL, r.Servers[1].URL = "http://127.0.0.1:8000", "http://127.0.0.1:8001"
	golden(t, "report-unusual.txt", printed(r))
}

func TestAReportOfARunInWhichNothingWorkedIsStillReadable(t *testing.T) {
	r := &Report{Failed: 3, Seconds: 1, CPU: CPU{Cores: 2}, Errors: []ErrorKind{{Kind: "timeout", Count: 3, First: "i/o timeout"}}}
	assert.Contains(t, printed(r), "requests: 0 ok, 3 errors in 1.0s -> 0.0 req/s\n")
	assert.Contains(t, printed(r), "client latency ms: no good answer\n")
	assert.EqualError(t, r.Err(), "3 of 3 requests failed: timeout 3")
}

func TestTheVerdictNamesTheSideThatHoldsTheThroughputDown(t *testing.T) {
	for want, cpu := range map[string]CPU{
		"the generator is the bottleneck":            {Cores: 4, Generator: 3.9, Server: 0.1, Known: true, Local: true},
		"the server is the bottleneck":               {Cores: 4, Generator: 0.1, Server: 3.9, Known: true, Local: true},
		"neither is the bottleneck":                  {Cores: 4, Generator: 0.5, Server: 0.5, Known: true, Local: true, Busy: 1},
		"other programs take 0.71 cores":             {Cores: 2, Generator: 0.4, Server: 0.8, Known: true, Local: true, Others: 0.71, Busy: 2},
		"the generator takes more":                   {Cores: 2, Generator: 1.12, Server: 0.61, Known: true, Local: true, Busy: 1.9},
		"the server takes most of this full machine": {Cores: 2, Generator: 0.6, Server: 1.3, Known: true, Local: true},
		"the generator has CPU to spare":             {Cores: 2, Generator: 0.6, Server: 9, Known: true},
	} {
		assert.Contains(t, cpu.Verdict(), want)
	}
}

func TestALoadThatIsOnlyOfferedLeavesNobodyWaiting(t *testing.T) {
	r := figures()
	r.CPU = CPU{Cores: 2, Generator: 0.3, Server: 0.4, Known: true, Local: true, Busy: 0.8}
	r.Little.InFlight, r.Little.Sampled = 0.183, 0.21
	r.Offered = &Offered{Asked: 1_000, Sent: 1_000, Reached: true}
	r.ActualLatency = &r.Latency
	assert.Contains(t, printed(r), "open loop: 1,000 req/s asked for, 1,000 sent: the rate was reached\n")
	assert.Contains(t, printed(r), "= 0.18 in flight (sampled 0.21, you ran at most 64)")
	assert.Contains(t, printed(r), "-> neither is the bottleneck: the offered rate leaves CPU to spare\n")
}
