package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// enoughForP999 is the number of samples below which p99.9 says little: at most ten samples lie above it.
const enoughForP999 = 10_000

// Latency describes the latencies of good answers, in milliseconds.
type Latency struct {
	Count     int64           `json:"count"`
	Mean      float64         `json:"mean_ms"`
	P50       float64         `json:"p50_ms"`
	P90       float64         `json:"p90_ms"`
	P99       float64         `json:"p99_ms"`
	P999      float64         `json:"p999_ms,omitempty"` // left out below 10,000 samples
	Max       float64         `json:"max_ms"`
	Quantiles []QuantilePoint `json:"quantiles"` // the whole curve, denser towards the tail
	// Histogram is an HdrHistogram of microseconds (V2, compressed; base64 in JSON). Several can be merged.
	Histogram []byte `json:"histogram"`
}

// QuantilePoint says that the fraction Quantile of the samples is at most Millis.
type QuantilePoint struct {
	Quantile float64 `json:"quantile"`
	Millis   float64 `json:"ms"`
}

// newLatency describes a histogram. sum is the exact sum of its latencies.
func newLatency(histogram *hdrhistogram.Histogram, sum time.Duration) (Latency, error) {
	encoded, err := encode(histogram)
	if err != nil {
		return Latency{}, err
	}
	l := Latency{
		Count:     histogram.TotalCount(),
		P50:       millis(histogram.ValueAtQuantile(50)),
		P90:       millis(histogram.ValueAtQuantile(90)),
		P99:       millis(histogram.ValueAtQuantile(99)),
		Max:       millis(histogram.Max()),
		Histogram: encoded,
	}
	if l.Count == 0 {
		return l, nil
	}
	l.Mean = sum.Seconds() * 1000 / float64(l.Count)
	if l.Count >= enoughForP999 {
		l.P999 = millis(histogram.ValueAtQuantile(99.9))
	}
	for _, bracket := range histogram.CumulativeDistribution() {
		l.Quantiles = append(l.Quantiles, QuantilePoint{Quantile: bracket.Quantile / 100, Millis: millis(bracket.ValueAt)})
	}
	return l, nil
}

func millis(micros int64) float64 { return float64(micros) / 1000 }
