// 01-batch runs the daily batch: it scores every product against every creative, keeps the relevant pairs, has the gate
// look at them, and publishes them as one version with a Bloom filter of its own.
package main

import (
	"cmp"
	"context"
	"os"
	"strconv"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/world"
)

func main() { cli.Main(run) }

func run(ctx context.Context) error {
	options, err := parse()
	if err != nil {
		return err
	}

	// data/ lies at the root of the checkout, whichever folder this is started in.
	at, err := home.Find()
	if err != nil {
		return err
	}
	options.Data = at.Data()

	// Everything happens in here: score, validate, build the filter, write the database, publish.
	version, err := batch.Run(ctx, options)
	if err != nil {
		return err
	}
	made, err := record.New("01-batch",
		map[string]any{"seed": version.Seed, "version": version.Day, "build": version.Build, "threshold": version.Threshold},
		map[string]float64{
			"rows": float64(version.Rows), "filter_bits": float64(version.Filter.Bits),
			"filter_hashes": float64(version.Filter.Hashes),
		}, nil)
	if err != nil {
		return err
	}
	return made.Save(at.Results())
}

// parse turns the flags into options. What cannot be meant is refused before any work is done.
func parse() (batch.Options, error) {
	flags := cli.Flags("Scores the pairs of a day and publishes them as one version.")
	day := flags.String("day", string(world.FirstDay), "the day to publish")
	threshold := flags.String("threshold", "0.6", "the lowest score that counts as relevant")
	move := flags.Float64("max-move", batch.MaxMove, "how far the row count may move against the live version, as a share")
	force := flags.Bool("force", false, "publish even if the row count moved further")
	seed := flags.String("seed", cmp.Or(os.Getenv("LAB_SEED"), "42"), "the world's seed; LAB_SEED sets the default")
	if err := cli.Parse(flags); err != nil {
		return batch.Options{}, err
	}

	options := batch.Options{MaxMove: *move, Force: *force, Program: "01-batch", Out: os.Stdout}
	var err error
	if options.Day, err = world.ParseDay(*day); err != nil {
		return options, cli.Usagef("--day: %w", err)
	}
	if options.Threshold, err = world.ParseScore(*threshold); err != nil {
		return options, cli.Usagef("--threshold: %w", err)
	}
	if options.Threshold == 0 {
		return options, cli.Usagef("--threshold: 0 would make every pair relevant; give a number above 0 and up to 1")
	}
	if !(*move > 0) {
		return options, cli.Usagef("--max-move: %v is not a share above 0, such as 0.3", *move)
	}
	number, err := strconv.ParseUint(*seed, 10, 64)
	if err != nil {
		return options, cli.Usagef("--seed or LAB_SEED: %q is not a whole number from 0 up", *seed)
	}
	options.World = world.Default(number)
	return options, nil
}
