// Step 08 turns the hot-key cache off and measures what a small cache is worth under skewed traffic.
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
		Step:   "08-no-cache",
		About:  "Turns the cache off and compares with the server as it is.",
		Lesson: lesson,
		// One change: no cache is built at all. The filter, the database and the load stay what they are.
		Variants: []lab.Variant{{Settings: []string{"CACHE_SIZE=0"}}},
		Observe:  observe,
	}.Main()
}

func observe(c lab.Comparison) []string {
	with, without := c.Baseline, c.Variants[0]
	return []string{
		fmt.Sprintf("The filter still stops %.0f%% of the lookups. All the others, %.0f%%, are read from the database.",
			100*without.BloomShare(), 100*without.DBShare()),
		fmt.Sprintf("Of 100 requests, %.0f need a batched read instead of %.0f: a request escapes only when none of its "+
			"five creatives is relevant, which happens once in 2 x 2 x 2 x 2 x 2 = 32 times.",
			100*without.ReadShare(), 100*with.ReadShare()),
		fmt.Sprintf("The cache had answered %.0f of every 100 lookups that the filter let through.",
			100*with.CacheShare()/(with.CacheShare()+with.DBShare())),
	}
}
