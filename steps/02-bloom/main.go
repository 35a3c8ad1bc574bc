// Step 02 looks inside this version's Bloom filter: how large it is, how often it is wrong, and that it is never wrong
// in the way that matters.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

func main() { cli.Main(run) }

func run(ctx context.Context) error {
	if err := cli.Parse(cli.Flags("Looks inside the live version's Bloom filter.")); err != nil {
		return err
	}
	stage, err := lab.Prepare(ctx, os.Stdout)
	if err != nil {
		return err
	}
	build, err := release.At(stage.Home.Data()).Pin()
	if err != nil {
		return err
	}
	defer build.Close()
	filter, err := bloom.Load(build.Path(release.FilterFile))
	if err != nil {
		return err
	}
	pairs, err := stage.Pairs(ctx)
	if err != nil {
		return err
	}
	numbers := inspect(build.Manifest.Day, filter, pairs)
	compareRates(pairs)
	return stage.Record("02-bloom", nil, numbers, nil)
}

// inspect asks the filter for every key and for every pair that is none.
func inspect(day world.Day, filter *bloom.Filter, pairs *batch.Pairs) map[string]float64 {
	fmt.Printf("version %s: %s keys in %s bits (%s), k=%d\n", day, humanize.Comma(int64(pairs.Len())),
		humanize.Comma(int64(filter.Bits())), size(filter), filter.Hashes())

	missed := 0
	for row := range pairs.Rows() {
		if !filter.Has(row.ASIN, row.Creative) {
			missed++
		}
	}
	fmt.Printf("false negatives: %d of %s keys\n", missed, humanize.Comma(int64(pairs.Len())))

	wrong, asked := falsePositives(pairs, filter, 1)
	fmt.Printf("false positives: %s of %s other pairs = %.2f%% (predicted %.2f%%)\n", humanize.Comma(int64(wrong)),
		humanize.Comma(int64(asked)), percent(wrong, asked), 100*filter.Predicted(pairs.Len()))
	return map[string]float64{
		"keys": float64(pairs.Len()), "false_negatives": float64(missed), "false_positives_percent": percent(wrong, asked),
		"bits_per_key": float64(filter.Bits()) / float64(pairs.Len()),
	}
}

// compareRates builds filters of the same keys for three rates, to show what a rarer false positive costs in memory.
func compareRates(pairs *batch.Pairs) {
	fmt.Printf("\n%9s %12s %10s %4s %10s %10s\n", "asked for", "bits", "size", "k", "predicted", "measured")
	for _, rate := range []float64{0.1, 0.01, 0.001} {
		trial := bloom.New(pairs.Len(), rate)
		for row := range pairs.Rows() {
			trial.Add(row.ASIN, row.Creative)
		}
		wrong, asked := falsePositives(pairs, trial, 10)
		fmt.Printf("%8.1f%% %12s %10s %4d %9.2f%% %9.2f%%\n", 100*rate, humanize.Comma(int64(trial.Bits())), size(trial),
			trial.Hashes(), 100*trial.Predicted(pairs.Len()), percent(wrong, asked))
	}
}

// falsePositives asks the filter for the pairs of every such product that are not keys and counts the wrong answers.
func falsePositives(pairs *batch.Pairs, filter *bloom.Filter, every int) (wrong, asked int) {
	w := pairs.World()
	relevant := make([]bool, w.Creatives())
	for asin := 0; asin < w.ASINs(); asin += every {
		clear(relevant)
		for _, pair := range pairs.Of(asin) {
			relevant[pair.Creative] = true
		}
		id := w.ASIN(asin)
		for creative := range w.Creatives() {
			if relevant[creative] {
				continue
			}
			asked++
			if filter.Has(id, w.Creative(creative)) {
				wrong++
			}
		}
	}
	return wrong, asked
}

func size(filter *bloom.Filter) string { return fmt.Sprintf("%.0f KiB", float64(filter.Bits())/8/1024) }

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }
