// 01-batch runs the daily batch: it scores every product against every creative, keeps the relevant pairs, has the gate
// look at them, and publishes them as one version with a Bloom filter of its own.
package main

import (
	"context"
	"os"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
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
	read := batch.Flags(flags)
	if err := cli.Parse(flags); err != nil {
		return batch.Options{}, err
	}
	options, err := read()
	options.Program, options.Out = "01-batch", os.Stdout
	return options, err
}
