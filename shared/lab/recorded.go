package lab

import (
	"maps"

	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

// Record saves a step's numbers into results/, with the seed, the live version and the step's own settings beside them.
// detail is the step's full report, or nil.
func (s Stage) Record(step string, settings map[string]any, numbers map[string]float64, detail any) error {
	_, err := s.RecordGuess(step, settings, numbers, detail, Guess{})
	return err
}

// RecordGuess does what Record does, with the prediction, and returns what it recorded.
func (s Stage) RecordGuess(step string, settings map[string]any, numbers map[string]float64, detail any, guess Guess) (
	record.Record, error,
) {
	made, err := record.New(step, s.settings(settings), numbers, detail)
	if err != nil {
		return record.Record{}, err
	}
	made.Prediction = guess.Recorded(numbers)
	return made, made.Save(s.Home.Results())
}

// settings adds the seed and the live version to a step's own settings, which win where both name one.
func (s Stage) settings(own map[string]any) map[string]any {
	all := map[string]any{"seed": s.Seed, "version": s.Version.Day, "build": s.Version.Build, "rows": s.Version.Rows}
	maps.Copy(all, own)
	return all
}

// RecordLoad saves a load report as the step's recorded run.
func (s Stage) RecordLoad(step string, config *load.Config, report *load.Report) error {
	settings := sizeOf(*config)
	settings["version"] = report.Version // the server's, wherever it runs
	return s.Record(step, settings, loadNumbers(report), report)
}

// sizeOf says how much load was made.
func sizeOf(config load.Config) map[string]any {
	return map[string]any{
		"seconds": config.Duration.Seconds(), "processes": config.Processes, "concurrency": config.Concurrency,
		"rate": config.Rate, "warmup": config.Warmup,
	}
}

// loadNumbers are the figures of a load that lessons show and comparisons rest on. Shares are in percent of the
// lookups; reads_percent is in percent of the requests.
func loadNumbers(report *load.Report) map[string]float64 {
	numbers := map[string]float64{
		"requests":            float64(report.OK),
		"errors":              float64(report.Failed),
		"seconds":             report.Seconds,
		"requests_per_second": report.PerSecond,
		"latency_p50_ms":      report.Latency.P50,
		"latency_p99_ms":      report.Latency.P99,
		"latency_max_ms":      report.Latency.Max,
		"in_flight_computed":  report.Little.InFlight,
		"in_flight_sampled":   report.Little.Sampled,
		"generator_cores":     report.CPU.Generator,
		"server_cores":        report.CPU.Server,
	}
	total := report.Server()
	if total.Lookups == 0 || total.Requests == 0 {
		return numbers
	}
	percent := func(part, whole int64) float64 { return 100 * float64(part) / float64(whole) }
	numbers["lookups"] = float64(total.Lookups)
	numbers["bloom_no"] = float64(total.BloomNo)
	numbers["cache_hits"] = float64(total.CacheHits)
	numbers["db_keys"] = float64(total.DBKeys)
	numbers["db_reads"] = float64(total.DBReads)
	numbers["degraded_keys"] = float64(total.DegradedKeys)
	numbers["bloom_share_percent"] = percent(total.BloomNo, total.Lookups)
	numbers["cache_share_percent"] = percent(total.CacheHits, total.Lookups)
	numbers["db_share_percent"] = percent(total.DBKeys, total.Lookups)
	numbers["reads_percent"] = percent(total.DBReads, total.Requests)
	numbers["db_waited"] = float64(total.DBWaited)
	numbers["waited_percent"] = percent(total.DBWaited, total.Requests)
	numbers["server_p50_ms"] = total.Latency.P50
	numbers["server_p99_ms"] = total.Latency.P99
	return numbers
}
