package load

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/world"
)

// Report is what a run measured. The warm-up is in none of its figures.
type Report struct {
	StartedAt time.Time `json:"started_at"` // of the measured phase, UTC
	Config    Config    `json:"config"`
	Version   world.Day `json:"version"` // live at the start; relevant pairs were drawn from it

	OK        int64   `json:"ok"`
	Failed    int64   `json:"failed"`
	Seconds   float64 `json:"seconds"`    // from the start to the last answer
	PerSecond float64 `json:"per_second"` // OK / Seconds

	// Latency is counted from the intended start. ActualLatency, from the actual start, is there in an open loop only:
	// in a closed loop the two are the same.
	Latency       Latency  `json:"latency"`
	ActualLatency *Latency `json:"actual_latency,omitempty"`

	Offered *Offered `json:"offered,omitempty"` // open loop only
	// LongestWait is the longest time that a connection with a request in flight stayed silent: from the actual start of
	// a request until its whole answer was there, or it failed. Milliseconds.
	LongestWait float64             `json:"longest_wait_ms"`
	Little      Little              `json:"little"`
	Errors      []ErrorKind         `json:"errors,omitempty"` // most frequent first
	Degraded    int64               `json:"degraded"`         // good answers that lacked scores
	Versions    map[world.Day]int64 `json:"versions"`         // good answers that named each version
	Connections Connections         `json:"connections"`
	CPU         CPU                 `json:"cpu"`
	Servers     []Server            `json:"servers,omitempty"` // those that have /metrics
	Gone        string              `json:"gone,omitempty"`    // why a server's side could not be read at the end
	Timeline    []Second            `json:"timeline"`
}

// Offered compares the load that was asked for with the load that was made.
type Offered struct {
	Asked   float64 `json:"asked"`   // requests per second
	Sent    float64 `json:"sent"`    // requests per second
	Unsent  int64   `json:"unsent"`  // requests that were due and had no free connection
	Reached bool    `json:"reached"` // at least 99% was sent
}

// Little holds both sides of Little's law: requests a second × mean time = in flight. It speaks of all requests,
// failed ones too, and of the time from the actual start.
type Little struct {
	PerSecond   float64 `json:"per_second"`
	MeanSeconds float64 `json:"mean_s"`
	InFlight    float64 `json:"in_flight"` // the product
	Sampled     float64 `json:"sampled"`   // counted at random instants, without looking at latencies
	Samples     int64   `json:"samples"`
	Limit       int     `json:"limit"` // processes × concurrency
}

// ErrorKind counts the failed requests of one kind.
type ErrorKind struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
	First string `json:"first"` // an example
}

// Connections that were opened, warm-up included, against one for each worker.
type Connections struct {
	Opened int64 `json:"opened"`
	Ideal  int64 `json:"ideal"`
}

// CPU is the CPU time used in the measured phase, as a number of cores kept busy. The generator's is that of the
// processes that make the load; the server's is what /metrics says, 0 when no server says it.
type CPU struct {
	Cores     int     `json:"cores"` // that this machine offers
	Generator float64 `json:"generator_cores"`
	Server    float64 `json:"server_cores"`
	Known     bool    `json:"server_known"`
	Local     bool    `json:"server_local"` // the servers share this machine
	Others    float64 `json:"others_cores"` // other programs of this machine
	Busy      float64 `json:"busy_cores"`   // everything, with the kernel's network stack, which no program pays for
}

// Server is what one server counted in the measured phase.
type Server struct {
	URL          string        `json:"url"`
	Version      world.Day     `json:"version"` // at the end
	Requests     int64         `json:"requests"`
	Lookups      int64         `json:"lookups"`
	BloomNo      int64         `json:"bloom_no"`
	CacheHits    int64         `json:"cache_hits"`
	DBReads      int64         `json:"db_reads"`
	DBKeys       int64         `json:"db_keys"`
	DBWaited     int64         `json:"db_waited"` // requests that spent the delay that is set, or more, at the database
	Degraded     int64         `json:"degraded"`  // requests answered without their batched read
	DegradedKeys int64         `json:"degraded_keys"`
	Errors       int64         `json:"errors"`
	Swaps        int64         `json:"swaps"`
	FailedSwaps  int64         `json:"failed_swaps"`
	CPUSeconds   float64       `json:"cpu_s"`
	RSSBytes     int64         `json:"rss_bytes"`  // at the end
	Latency      ServerLatency `json:"latency_ms"` // since the counters were last reset
	DBTime       ServerLatency `json:"db_time_ms"` // likewise, of the requests that asked the database
	Settings     Settings      `json:"settings"`
}

// Second is one second of the measured phase. Quantiles are in milliseconds.
type Second struct {
	Second int     `json:"second"` // 1 is the first
	OK     int64   `json:"ok"`
	Errors int64   `json:"errors"`
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
}

// Err returns an error that counts the failed requests by kind, or says that a server was gone at the end; nil when
// there is nothing to say.
func (r *Report) Err() error {
	switch {
	case r.Failed == 0 && r.Gone != "":
		return fmt.Errorf("%s; is the server still running?", r.Gone)
	case r.Failed == 0:
		return nil
	}
	return fmt.Errorf("%s of %s requests failed: %s", humanize.Comma(r.Failed), humanize.Comma(r.OK+r.Failed), r.kinds())
}

func (r *Report) kinds() string {
	kinds := make([]string, len(r.Errors))
	for i, e := range r.Errors {
		kinds[i] = e.Kind + " " + humanize.Comma(e.Count)
	}
	return strings.Join(kinds, ", ")
}

// Write writes the report as text or, where the configuration asks for it, as indented JSON.
func (r *Report) Write(w io.Writer) error {
	if !r.Config.JSON {
		r.Print(w)
		return nil
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
