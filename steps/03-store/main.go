// Step 03 looks inside this version's SQLite file: its schema, the plan of a batched read, what one batched read saves
// against single reads, and the versions that lie side by side.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

func main() { cli.Main(run) }

func run(ctx context.Context) error {
	if err := cli.Parse(cli.Flags("Looks inside the live version's SQLite file.")); err != nil {
		return err
	}
	stage, err := lab.Prepare(ctx, os.Stdout)
	if err != nil {
		return err
	}
	versions := release.At(stage.Home.Data())
	build, err := versions.Pin() // so that no publish removes it meanwhile
	if err != nil {
		return err
	}
	defer build.Close()
	db, err := sqlite.Open(build.Path(release.ScoresFile))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := describe(ctx, db); err != nil {
		return err
	}
	pairs, err := stage.Pairs(ctx)
	if err != nil {
		return err
	}
	gain, err := compareReads(ctx, db, pairs)
	if err != nil {
		return err
	}
	if err := listVersions(versions, build.Manifest.Build); err != nil {
		return err
	}
	return stage.Record("03-store", map[string]any{"driver": sqlite.Driver},
		map[string]float64{"batched_read_gain": gain}, nil)
}

// describe prints the table as gorm sees it, and how SQLite goes about a batched read.
func describe(ctx context.Context, db *sqlite.DB) error {
	columns, err := db.Gorm().Migrator().ColumnTypes("scores")
	if err != nil {
		return err
	}
	fmt.Printf("driver: %s\n\ntable scores, as gorm sees it:\n", sqlite.Driver)
	for _, column := range columns {
		primary, _ := column.PrimaryKey()
		fmt.Printf("  %-8s  %s%s\n", column.Name(), column.DatabaseTypeName(), map[bool]string{true: "  primary key"}[primary])
	}
	plan, err := db.Plan(ctx, sqlite.BatchedRead(2), "asin", "first creative", "second creative")
	fmt.Printf("\nplan of one batched read of two creatives:\n  %s\n", strings.Join(plan, "\n  "))
	return err
}

// compareReads asks for five creatives of each ASIN in one batched read and then one by one. About half are relevant.
// The batched read goes first: a page that nobody has read yet costs it time, and not the single reads.
func compareReads(ctx context.Context, db *sqlite.DB, pairs *batch.Pairs) (gain float64, err error) {
	w, creatives, scores := pairs.World(), make([]string, 5), make([]world.Score, 5)
	var batched, single []time.Duration
	for asin := range w.ASINs() {
		id := w.ASIN(asin)
		for i := range creatives {
			creatives[i] = w.Creative((7*asin + 31*i) % w.Creatives())
			if relevant := pairs.Of(asin); (asin+i)%2 == 0 && i < len(relevant) {
				creatives[i] = w.Creative(int(relevant[i].Creative))
			}
		}
		start := time.Now()
		if err := db.Scores(ctx, id, creatives, scores); err != nil {
			return 0, err
		}
		middle := time.Now()
		for i, creative := range creatives {
			if scores[i], _, err = db.One(ctx, id, creative); err != nil {
				return 0, err
			}
		}
		batched, single = append(batched, middle.Sub(start)), append(single, time.Since(middle))
	}
	one, five := slices.Sorted(slices.Values(batched))[len(batched)/2], slices.Sorted(slices.Values(single))[len(single)/2]
	gain = float64(five) / float64(one)
	fmt.Printf("\nfive creatives, median over %s ASINs:\n  five single reads  %5.1f µs\n  one batched read   %5.1f µs\n"+
		"  gain               %5.1f times\n", humanize.Comma(int64(w.ASINs())), five.Seconds()*1e6, one.Seconds()*1e6, gain)
	return gain, nil
}

// listVersions shows the kept builds, the one published last first.
func listVersions(dir release.Dir, live string) error {
	builds, err := dir.Builds()
	fmt.Printf("\n%-10s  %-19s  %9s  %8s\n", "version", "build", "rows", "size")
	for _, build := range builds {
		size := float64(build.Files[release.ScoresFile].Bytes) / (1 << 20)
		fmt.Printf("%-10s  %-19s  %9s  %4.1f MiB%s\n", build.Day, build.Build, humanize.Comma(int64(build.Rows)), size,
			map[bool]string{true: "  live"}[build.Build == live])
	}
	return err
}
