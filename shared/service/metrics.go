package service

import (
	"math"
	"os"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/shirou/gopsutil/v4/process"

	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// Metrics is the answer of GET /metrics. All but the version, the uptime, the process and the config starts from zero
// at a reset.
type Metrics struct {
	Version      world.Day `json:"version"` // empty until a version is loaded, as is Build
	Build        string    `json:"build"`
	Rows         int       `json:"rows"`
	UptimeS      float64   `json:"uptime_s"`
	Requests     uint64    `json:"requests"`
	Lookups      uint64    `json:"lookups"`
	BloomNo      uint64    `json:"bloom_no"`
	CacheHits    uint64    `json:"cache_hits"`
	DBReads      uint64    `json:"db_reads"`
	DBKeys       uint64    `json:"db_keys"`
	DBWaited     uint64    `json:"db_waited"` // requests that spent DB_DELAY_MS or more at the database; 0 without a delay
	Degraded     uint64    `json:"degraded"`
	DegradedKeys uint64    `json:"degraded_keys"`
	Errors       uint64    `json:"errors"`
	Rejected     uint64    `json:"rejected"`
	Swaps        uint64    `json:"swaps"`        // versions that replaced another one
	FailedSwaps  uint64    `json:"failed_swaps"` // builds that could not be loaded, each problem once
	Latency      Latency   `json:"latency_ms"`
	DBTime       Latency   `json:"db_time_ms"` // of the requests that asked the database, each timed by itself
	CPUSeconds   float64   `json:"cpu_s"`      // of the process, since its start
	RSSBytes     uint64    `json:"rss_bytes"`  // of the process, now
	InFlight     int64     `json:"in_flight"`
	Config       Settings  `json:"config"`
}

// Latency is the distribution of a time within the server, in milliseconds: of a request from the handler's start until
// its answer is ready to be sent, or of that part of it which was spent at the database. Only requests answered with
// scores are in it.
type Latency struct {
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
	Mean  float64 `json:"mean"`
	Count int64   `json:"count"`
}

// Settings are the settings that change what a request costs.
type Settings struct {
	Bloom          bool  `json:"bloom"`
	CacheSize      int   `json:"cache_size"`
	DBDelayMillis  int64 `json:"db_delay_ms"`
	DBBudgetMillis int64 `json:"db_budget_ms"`
}

// Metrics reads all counters.
func (s *Service) Metrics() Metrics {
	version := s.served()
	all, latency, dbTime := s.tally.read()
	for now := s.served(); now.Build != version.Build; now = s.served() {
		version = now // a swap came between: what was counted is to be of the version that is named, and of those before it
		all, latency, dbTime = s.tally.read()
	}
	m := Metrics{
		Version: version.Day, Build: version.Build, Rows: version.Rows,
		UptimeS:      math.Round(time.Since(s.started).Seconds()*1000) / 1000,
		Requests:     all.Requests,
		Lookups:      all.lookups(),
		BloomNo:      all.BloomNo,
		CacheHits:    all.CacheHits,
		DBReads:      all.DBReads,
		DBKeys:       all.DBKeys,
		DBWaited:     all.DBWaited,
		Degraded:     all.Degraded,
		DegradedKeys: all.DegradedKeys,
		Errors:       all.Errors,
		Rejected:     all.Rejected,
		Swaps:        s.tally.swaps.Load(),
		FailedSwaps:  s.tally.failed.Load(),
		Latency:      latencyOf(latency),
		DBTime:       latencyOf(dbTime),
		InFlight:     s.tally.inFlight.Load(),
		Config: Settings{
			Bloom: s.config.Bloom, CacheSize: s.config.CacheSize,
			DBDelayMillis: s.config.DBDelay.Milliseconds(), DBBudgetMillis: s.config.DBBudget.Milliseconds(),
		},
	}
	m.CPUSeconds, m.RSSBytes = s.usage()
	return m
}

// served is the manifest of the version that is served now; zero until there is one.
func (s *Service) served() release.Manifest {
	snapshot := s.current.acquire()
	if snapshot == nil {
		return release.Manifest{}
	}
	defer snapshot.release()
	return snapshot.Manifest
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	return Latency{
		P50:   millis(float64(h.ValueAtQuantile(50))),
		P99:   millis(float64(h.ValueAtQuantile(99))),
		Max:   millis(float64(h.Max())),
		Mean:  millis(h.Mean()),
		Count: h.TotalCount(),
	}
}

// millis rounds to a tenth of a microsecond: a request that the filter and the cache answer takes only a few.
func millis(nanos float64) float64 { return math.Round(nanos/100) / 10_000 }

// usage returns zero for what the operating system does not tell.
func (s *Service) usage() (cpuSeconds float64, rssBytes uint64) {
	if s.process == nil {
		return 0, 0
	}
	if times, err := s.process.Times(); err == nil {
		cpuSeconds = math.Round((times.User+times.System)*1000) / 1000
	}
	if memory, err := s.process.MemoryInfo(); err == nil {
		rssBytes = memory.RSS
	}
	return cpuSeconds, rssBytes
}

// thisProcess returns nil where the operating system does not tell.
func thisProcess() *process.Process {
	self, err := process.NewProcess(int32(os.Getpid()))
	if err != nil {
		return nil
	}
	return self
}
