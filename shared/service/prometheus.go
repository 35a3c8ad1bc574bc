package service

import (
	"net/http"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// latencyBounds are the upper bounds of the histogram's buckets, in seconds.
var latencyBounds = []float64{
	5e-6, 10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1,
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("relevance_"+name, help, labels, nil)
}

var (
	descRequests = describe("requests_total", "Requests answered with scores.")
	descRejected = describe("rejected_total", "Requests answered with an error instead of scores.")
	descLookups  = describe("lookups_total", "Lookups, by where they ended.", "ended")
	descReads    = describe("db_reads_total", "Batched reads begun.")
	descWaited   = describe("db_waited_total", "Requests that spent the delay that is set, or more, at the database.")
	descDegraded = describe("degraded_total", "Requests answered without their batched read.")
	descErrors   = describe("errors_total", "Batched reads that failed, and requests that ended in a panic.")
	descSwaps    = describe("swaps_total", "Versions that replaced another one.")
	descFailed   = describe("failed_swaps_total", "Builds that could not be loaded.")
	descInFlight = describe("in_flight", "Requests in flight.")
	descRows     = describe("rows", "Rows of the version that is served.")
	descVersion  = describe("version_info", "The version that is served.", "version", "build")
	descLatency  = describe("request_duration_seconds", "The server's own time for a request answered with scores.")
	descDBTime   = describe("db_duration_seconds", "A request's own time at the database, of those that asked it.")
)

// newPrometheus returns the handler of the text form of /metrics. It reads the same counters as the JSON form does.
// Memory and CPU come from the library's own collectors, under the names that every Go program uses.
func newPrometheus(s *Service) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collector{s},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

type collector struct{ service *Service }

func (collector) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		descRequests, descRejected, descLookups, descReads, descDegraded, descErrors, descSwaps, descFailed, descInFlight,
		descRows, descVersion, descLatency, descWaited, descDBTime,
	} {
		to <- desc
	}
}

func (c collector) Collect(to chan<- prometheus.Metric) {
	all, latency, dbTime := c.service.tally.read()
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
	}
	count := func(desc *prometheus.Desc, value uint64, labels ...string) {
		send(desc, prometheus.CounterValue, float64(value), labels...)
	}
	count(descRequests, all.Requests)
	count(descRejected, all.Rejected)
	count(descLookups, all.BloomNo, "bloom_no")
	count(descLookups, all.CacheHits, "cache_hit")
	count(descLookups, all.DBKeys, "db_key")
	count(descLookups, all.DegradedKeys, "degraded")
	count(descReads, all.DBReads)
	count(descWaited, all.DBWaited)
	count(descDegraded, all.Degraded)
	count(descErrors, all.Errors)
	count(descSwaps, c.service.tally.swaps.Load())
	count(descFailed, c.service.tally.failed.Load())
	send(descInFlight, prometheus.GaugeValue, float64(c.service.tally.inFlight.Load()))
	if snapshot := c.service.current.acquire(); snapshot != nil {
		manifest := snapshot.Manifest
		snapshot.release()
		send(descRows, prometheus.GaugeValue, float64(manifest.Rows))
		send(descVersion, prometheus.GaugeValue, 1, string(manifest.Day), manifest.Build)
	}
	distribution := func(desc *prometheus.Desc, of *hdrhistogram.Histogram) {
		seconds := of.Mean() * float64(of.TotalCount()) / 1e9
		to <- prometheus.MustNewConstHistogram(desc, uint64(of.TotalCount()), seconds, buckets(of))
	}
	distribution(descLatency, latency)
	distribution(descDBTime, dbTime)
}

// buckets counts the latencies at or below each bound, to the three digits that the recorder keeps.
func buckets(h *hdrhistogram.Histogram) map[float64]uint64 {
	below := make(map[float64]uint64, len(latencyBounds))
	var seen uint64
	bars := h.Distribution()
	for _, bound := range latencyBounds {
		for len(bars) > 0 && float64(bars[0].From) <= bound*1e9 {
			seen += uint64(bars[0].Count)
			bars = bars[1:]
		}
		below[bound] = seen
	}
	return below
}
