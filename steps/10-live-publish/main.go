// Step 10 publishes the next day in the middle of a load, holds every answer against the world of its version, and
// shows what the callers noticed.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/world"
)

// The question, its unit and the reason come from the lesson, so that program and page ask the same.
//
//go:embed README.md
var lesson string

func main() {
	// Beside this process there are the API, the batch, and the callers, who know every score of both versions.
	proc.Dispatch(lab.API(), lab.Batch(), load.Worker(lab.Answers))
	cli.Main(run)
}

func run(ctx context.Context) error {
	const about = "Publishes the next day in the middle of a load, and checks every answer."
	setup, err := lab.ParseSetup(about, 15*time.Second)
	if err != nil {
		return err
	}
	guess, err := lab.AskFor(ctx, lesson, setup.Terminal)
	if err != nil {
		return err
	}

	// The first day is live, also when this step has been run before, and the next one is published while it serves.
	stage, err := lab.PrepareDay(ctx, world.FirstDay, setup.Say)
	if err != nil {
		return err
	}
	swap, err := stage.PublishUnderLoad(ctx, setup)
	if err != nil {
		return err
	}

	swap.Tell(setup, observe(swap)...)
	guess.Tell(setup.Terminal, swap.Numbers())
	made, err := stage.RecordSwap("10-live-publish", setup, swap, guess)
	if err != nil {
		return err
	}
	return errors.Join(setup.Recorded(made), swap.Err())
}

func observe(swap lab.Swap) []string {
	report, numbers := swap.Report, swap.Numbers()
	seen := []string{
		fmt.Sprintf("%s of %s requests failed; %.0f answers held a wrong score.",
			humanize.Comma(report.Failed), humanize.Comma(report.OK+report.Failed), numbers["wrong_answers"]),
		fmt.Sprintf("%s answers came from %s, then %s from %s.", humanize.Comma(report.Versions[swap.From]), swap.From,
			humanize.Comma(report.Versions[swap.To]), swap.To),
		fmt.Sprintf("No connection waited for its answer longer than %.0f ms.", report.LongestWait),
	}
	if swap.After.At == 0 {
		return seen
	}
	seen = append(seen, fmt.Sprintf("The callers go on asking for what was relevant on %s. %.0f%% of that is "+
		"relevant no more, and the new filter says no to it: %.0f%% of the lookups instead of %.0f%%.", swap.From,
		numbers["pairs_lost_percent"], numbers["after_bloom_share_percent"], numbers["before_bloom_share_percent"]))
	if cache, settled := numbers["first_second_cache_share_percent"]; settled {
		seen = append(seen, fmt.Sprintf("The new cache began empty: it answered %.0f%% of the lookups in its first second. "+
			"The old one answered %.0f%%.", cache, numbers["before_cache_share_percent"]))
	}
	return seen
}
