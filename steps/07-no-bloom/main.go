// Step 07 turns the Bloom filter off and measures how much more of the work reaches the database.
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
		Step:   "07-no-bloom",
		About:  "Turns the Bloom filter off and compares with the server as it is.",
		Lesson: lesson,
		// One change: no lookup asks the filter. Cache, database and load stay what they are.
		Variants: []lab.Variant{{Settings: []string{"BLOOM=off"}}},
		Observe:  observe,
	}.Main()
}

func observe(c lab.Comparison) []string {
	with, without := c.Baseline, c.Variants[0]
	return []string{
		fmt.Sprintf("The database answers %.0f%% of the lookups instead of %.0f%%, %.1f times as many.",
			100*without.DBShare(), 100*with.DBShare(), without.DBShare()/with.DBShare()),
		fmt.Sprintf("Of 100 requests, %.0f need a batched read instead of %.0f.",
			100*without.ReadShare(), 100*with.ReadShare()),
		fmt.Sprintf("The filter had settled %.0f%%. The cache answers %.0f%% instead of %.0f%%: it remembers some of the "+
			"empty answers (negative caching), and each takes the place of a score.",
			100*with.BloomShare(), 100*without.CacheShare(), 100*with.CacheShare()),
	}
}
