// Package batch is the daily batch: it scores the pairs of a day's world, has a gate look at them, and publishes them
// as one version.
//
// Score is a pure function: the same world and threshold give the same Pairs on every machine. Run does the rest. What
// it publishes has passed the gate: every score is in (0,1], no pair comes twice, every id is one of the day's, the
// number of rows is near the live version's, the filter says yes to every key, and a sample read back from the written
// database is what was scored. A batch that is refused, interrupted or killed leaves the live version as it was.
//
// The gate catches data that is broken. It does not know whether data that looks like yesterday's is right.
package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

// MaxMove is how far the number of rows may move against the live version: 0.30 is 30%.
const MaxMove = 0.30

// Options say what a run of the batch publishes.
type Options struct {
	Day       world.Day
	Threshold world.Score
	World     world.Config
	Data      string    // the data folder
	MaxMove   float64   // zero means the constant MaxMove
	Force     bool      // publish even if the number of rows moved further
	Program   string    // who publishes, for the manifest
	Out       io.Writer // gets a line for each stage
}

// Run is the whole daily batch: it scores the pairs of a day, has the gate look at them, and publishes them as one
// version, with a filter for exactly these keys. It returns the manifest of the build that is live afterwards.
//
// A refusal has ErrRefused in its chain. After it, after any other failure to publish, and when ctx ends, the live
// version is the one it was, and nothing half-written stays. When only the removal of an old build fails, the new
// version is live and the error says so. One run at a time: while another is at work, Run fails with
// release.ErrLocked.
func Run(ctx context.Context, options Options) (published release.Manifest, err error) {
	publisher, err := release.At(options.Data).Lock()
	if err != nil {
		return release.Manifest{}, err
	}
	defer func() { err = errors.Join(err, publisher.Close()) }()
	if options.MaxMove == 0 {
		options.MaxMove = MaxMove
	}
	r := run{Options: options, dir: release.At(options.Data), publisher: publisher}
	if err := r.score(ctx); err != nil {
		return release.Manifest{}, err
	}
	if err := r.validate(); err != nil {
		return release.Manifest{}, err
	}
	if published, err = r.publish(ctx); err != nil {
		return release.Manifest{}, err
	}
	if _, err := publisher.Prune(); err != nil {
		return published, fmt.Errorf("version %s is live, and an old one was not removed: %w", published.Day, err)
	}
	return published, nil
}

// run is one run of the batch.
type run struct {
	Options
	dir       release.Dir
	publisher *release.Publisher
	pairs     *Pairs
	live      release.Manifest // the live version at the start; zero when there is none
}

func (r *run) say(format string, args ...any) {
	fmt.Fprintf(r.Out, "[%s] %s\n", r.Day, fmt.Sprintf(format, args...))
}

func (r *run) score(ctx context.Context) error {
	start := time.Now()
	pairs, err := Score(ctx, world.New(r.World, r.Day), r.Threshold)
	if err != nil {
		return err
	}
	r.say("scored pairs: %s relevant (ASIN, creative) pairs in %.1fs", comma(pairs.Len()), time.Since(start).Seconds())
	r.pairs = pairs
	return nil
}

// publish makes the pairs the live version: by pointing at the build that holds them already, or by writing one.
func (r *run) publish(ctx context.Context) (release.Manifest, error) {
	manifest := release.Manifest{
		Day: r.Day, Rows: r.pairs.Len(), Threshold: r.pairs.Threshold(), Seed: r.World.Seed,
		World: r.pairs.World().Fingerprint(), Content: r.pairs.Fingerprint(), Program: r.Program,
	}
	stored, found, err := r.publisher.Find(manifest)
	if err != nil {
		return release.Manifest{}, err
	}
	if found {
		r.say("identical content is stored as build %s: nothing written", stored.Build)
		if stored.Build == r.live.Build {
			r.say("published: current.json already points at version %s", r.Day)
			return stored, nil
		}
		return stored, r.announce(r.publisher.Point(stored))
	}
	filter, err := r.write(ctx)
	if err != nil {
		return release.Manifest{}, r.dir.Explain(err)
	}
	manifest.Filter = release.Filter{Bits: filter.Bits(), Hashes: filter.Hashes()}
	manifest, err = r.publisher.Commit(manifest)
	return manifest, r.announce(err)
}

// write stages the files: the filter on one core and the database on another. Then the gate reads them back.
func (r *run) write(ctx context.Context) (*bloom.Filter, error) {
	stage, err := r.publisher.Stage()
	if err != nil {
		return nil, err
	}
	var filter *bloom.Filter
	var rows int
	var took time.Duration
	scores := filepath.Join(stage, release.ScoresFile)
	group, together := errgroup.WithContext(ctx)
	group.Go(func() error {
		filter = r.filter()
		if err := filter.Save(filepath.Join(stage, release.FilterFile)); err != nil {
			return err
		}
		return checkFilter(filter, r.pairs.Rows())
	})
	group.Go(func() (err error) {
		start := time.Now()
		rows, err = sqlite.Create(together, scores, r.pairs.Rows())
		took = time.Since(start)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r.say("Bloom filter: %s bits (%.0f KiB), k=%d",
		comma(int(filter.Bits())), float64(filter.Bits())/8/1024, filter.Hashes())
	r.say("wrote %s rows to sqlite in %.1fs", comma(rows), took.Seconds())
	return filter, checkStored(ctx, scores, r.pairs)
}

func (r *run) filter() *bloom.Filter {
	filter := bloom.New(r.pairs.Len(), bloom.FalsePositives)
	for row := range r.pairs.Rows() {
		filter.Add(row.ASIN, row.Creative)
	}
	return filter
}

// announce says that the day is live, unless making it so failed.
func (r *run) announce(err error) error {
	if err != nil {
		return err
	}
	back := ""
	if r.live.Day > r.Day {
		back = fmt.Sprintf(", moving back from %s", r.live.Day)
	}
	r.say("published: current.json now points at version %s%s", r.Day, back)
	return nil
}

func comma(n int) string { return humanize.Comma(int64(n)) }
