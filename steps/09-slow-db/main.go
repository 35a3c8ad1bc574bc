// Step 09 makes the database slow, with the cache and without it, and counts how many requests feel it.
package main

import (
	_ "embed"
	"fmt"

	"example.com/relevance-lab/shared/lab"
)

// The question, its unit and the reason come from the lesson, so that program and page ask the same.
//
//go:embed README.md
var lesson string

func main() {
	lab.Experiment{
		Step:   "09-slow-db",
		About:  "Adds 2 ms to each batched read, with the cache and without it.",
		Lesson: lesson,
		// Two servers with the same slow database: one has the cache in front of it, the other has not.
		Variants: []lab.Variant{
			{Settings: []string{"DB_DELAY_MS=2"}},
			{Key: "no_cache", Settings: []string{"DB_DELAY_MS=2", "CACHE_SIZE=0"}},
		},
		Observe: observe,
	}.Main()
}

func observe(c lab.Comparison) []string {
	cached, bare := c.Variants[0], c.Variants[1]
	return []string{
		fmt.Sprintf("With the cache %.1f%% of the requests waited for the slow database, without it %.1f%%. Each request "+
			"was timed by itself at the database.", 100*cached.WaitedShare(), 100*bare.WaitedShare()),
		fmt.Sprintf("Batched reads / requests say the same from the other side: %.1f%% and %.1f%%.",
			100*cached.ReadShare(), 100*bare.ReadShare()),
		fmt.Sprintf("The server's median went from %.3f ms to %.3f ms with the cache and %.3f ms without: as soon as more "+
			"than half of the requests wait, the median request is one that waits.",
			c.Baseline.Report.Server().Latency.P50, cached.Report.Server().Latency.P50, bare.Report.Server().Latency.P50),
	}
}
