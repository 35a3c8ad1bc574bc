package lab

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/service"
)

// Measured is one load of one server.
type Measured struct {
	Name       string       `json:"name"`          // "baseline", or the settings
	Key        string       `json:"key,omitempty"` // names its numbers in the record, see Variant
	Settings   []string     `json:"settings"`      // what was set on the server, beside the defaults
	Build      string       `json:"build"`         // that the server served at the start
	MeasuredAt time.Time    `json:"measured_at"`
	Report     *load.Report `json:"report"`
}

// measure starts an API with the settings, loads it, prints the report and stops the API. Failed requests are no error
// of it; a server that is gone at the end is one.
func (s Stage) measure(ctx context.Context, variant Variant, setup Setup) (Measured, error) {
	server, err := s.serve(ctx, variant.Settings, setup)
	if err != nil {
		return Measured{}, err
	}
	defer server.Stop()
	config := setup.Load
	config.URLs = []string{server.URL}
	measured := Measured{
		Name: strings.Join(variant.Settings, " "), Key: variant.Key, Settings: variant.Settings, Build: s.Version.Build,
		MeasuredAt: time.Now().UTC().Truncate(time.Second),
	}
	if measured.Name == "" {
		measured.Name = baselineName
	}
	if measured.Report, err = load.Run(ctx, config, os.Stderr); err != nil {
		return Measured{}, err
	}
	measured.Report.Print(setup.Say)
	if len(measured.Report.Servers) == 0 {
		return Measured{}, fmt.Errorf("%s: the server's side of the run is missing, so there is nothing to compare: %w",
			measured.Name, measured.Report.Err())
	}
	return measured, nil
}

// serve starts an API with the defaults and the settings, whatever the person's environment sets, and waits until it
// serves the live version.
func (s Stage) serve(ctx context.Context, settings []string, setup Setup) (*Server, error) {
	server, err := Start(ctx, "API", nil, slices.Concat(defaults(setup.Port), settings), setup.Say)
	if err != nil {
		return nil, err
	}
	if _, err := (Client{URL: server.URL}).Follow(ctx, s.Version.Build); err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}

// defaults are the settings of a server that nobody changed, as its environment.
func defaults(port int) []string {
	config := service.Default()
	return []string{
		"HOST=127.0.0.1", fmt.Sprintf("PORT=%d", port), "BLOOM=on", fmt.Sprintf("CACHE_SIZE=%d", config.CacheSize),
		"DB_DELAY_MS=0", fmt.Sprintf("DB_BUDGET_MS=%d", config.DBBudget.Milliseconds()),
	}
}

// unchanged is what a server says of its settings when nobody changed them.
func unchanged() load.Settings {
	config := service.Default()
	return load.Settings{
		Bloom: config.Bloom, CacheSize: config.CacheSize, DBDelayMillis: config.DBDelay.Milliseconds(),
		DBBudgetMillis: config.DBBudget.Milliseconds(),
	}
}

// exported lists the settings that change what a request costs and that the person's environment sets.
func exported() (set []string) {
	for _, name := range []string{"BLOOM", "CACHE_SIZE", "DB_DELAY_MS", "DB_BUDGET_MS"} {
		if value := os.Getenv(name); value != "" {
			set = append(set, name+"="+value)
		}
	}
	return set
}

// Err tells why the measurement compares with nothing: requests failed, or the version changed; nil where neither did.
func (m Measured) Err() error {
	if err := m.Report.Err(); err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	if m.server().Swaps > 0 {
		return fmt.Errorf("%s: another version was published during the load; run the step again, and publish nothing "+
			"meanwhile", m.Name)
	}
	return nil
}

// BloomShare is the share of the lookups that the Bloom filter settled, from 0 to 1, as are the others.
func (m Measured) BloomShare() float64 { return share(m.server().BloomNo, m.server().Lookups) }

// CacheShare is the share of the lookups that the cache answered.
func (m Measured) CacheShare() float64 { return share(m.server().CacheHits, m.server().Lookups) }

// DBShare is the share of the lookups that were read from the database.
func (m Measured) DBShare() float64 { return share(m.server().DBKeys, m.server().Lookups) }

// DegradedShare is the share of the lookups that nothing answered.
func (m Measured) DegradedShare() float64 { return share(m.server().DegradedKeys, m.server().Lookups) }

// ReadShare is the share of the requests that needed a batched read: batched reads / requests.
func (m Measured) ReadShare() float64 { return share(m.server().DBReads, m.server().Requests) }

// WaitedShare is the share of the requests whose own time at the database reached the delay that was set there. It is
// counted from that time, and not from the batched reads.
func (m Measured) WaitedShare() float64 { return share(m.server().DBWaited, m.server().Requests) }

// Delay is what was added to each batched read.
func (m Measured) Delay() time.Duration {
	return time.Duration(m.server().Settings.DBDelayMillis) * time.Millisecond
}

func (m Measured) reads() float64 { return float64(m.server().DBReads) }

func (m Measured) server() load.Server { return m.Report.Server() }

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
