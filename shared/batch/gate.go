package batch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

// ErrRefused is in the chain of every error by which the gate refuses to publish.
var ErrRefused = errors.New("refusing to publish")

// refuse makes the gate's no.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// validate is the gate before anything is written. Rows that are wrong in themselves are always refused; a number of
// rows that is far from the live version's is refused unless Force says that it is expected.
func (r *run) validate() error {
	if r.pairs.Len() == 0 {
		return refuse("no pair has a score of %s or more; lower --threshold", r.Threshold)
	}
	if err := checkRows(r.pairs.Rows(), r.pairs.World()); err != nil {
		return err
	}
	live, err := r.dir.Current()
	switch {
	case errors.Is(err, release.ErrNoVersion):
		r.say("validation passed (first version)")
		return nil
	case errors.Is(err, release.ErrDamaged) && r.Force:
		r.say("validation overridden by --force: the live version cannot be told, so the row count is compared with nothing")
		return nil
	case errors.Is(err, release.ErrDamaged):
		return refuse("the live version cannot be told: %w", err)
	case err != nil:
		return err
	}
	r.live = live
	if moved := checkMove(live.Rows, r.pairs.Len(), r.MaxMove); moved != "" {
		if !r.Force {
			return refuse("%s; rerun with --force if that is expected", moved)
		}
		r.say("validation overridden by --force: %s", moved)
		return nil
	}
	r.say("validation passed (live version %s has %s rows)", live.Day, comma(live.Rows))
	return nil
}

// checkMove says in words how the number of rows moved when it moved by more than limit, a share of the live number.
func checkMove(live, now int, limit float64) string {
	moved := math.Abs(float64(now)-float64(live)) / float64(live)
	if moved <= limit {
		return ""
	}
	return fmt.Sprintf("row count moved %.0f%% (%s -> %s)", 100*moved, comma(live), comma(now))
}

// ids are those that a day knows.
type ids interface {
	HasASIN(id string) bool
	HasCreative(id string) bool
}

// checkRows refuses scores outside (0,1], unknown ids, and pairs that come twice or out of order, which in sorted rows
// is the same look at two neighbours.
func checkRows(rows iter.Seq[store.Row], known ids) error {
	var last store.Row
	first := true
	for row := range rows {
		sameASIN := row.ASIN == last.ASIN && !first
		switch {
		case row.Score <= 0 || row.Score > world.MaxScore:
			return refuse("(%s, %s) has a score of %s, which is not in (0,1]", row.ASIN, row.Creative, row.Score)
		case !sameASIN && !known.HasASIN(row.ASIN):
			return refuse("the day knows no ASIN %.40q", row.ASIN)
		case !known.HasCreative(row.Creative):
			return refuse("the day knows no creative %.40q", row.Creative)
		case sameASIN && row.Creative == last.Creative:
			return refuse("(%s, %s) comes twice", row.ASIN, row.Creative)
		case row.ASIN < last.ASIN || sameASIN && row.Creative < last.Creative:
			return refuse("(%s, %s) comes after (%s, %s)", row.ASIN, row.Creative, last.ASIN, last.Creative)
		}
		last, first = row, false
	}
	return nil
}

// checkFilter refuses a filter that says no to one of its keys.
func checkFilter(filter *bloom.Filter, rows iter.Seq[store.Row]) error {
	for row := range rows {
		if !filter.Has(row.ASIN, row.Creative) {
			return refuse("the filter says no to (%s, %s), which is one of its keys", row.ASIN, row.Creative)
		}
	}
	return nil
}

// sampleASINs is how many ASINs are read back from the written database, spread evenly over the pairs.
const sampleASINs = 100

// checkStored reads a sample back from the written database through the API's own kind of read.
func checkStored(ctx context.Context, path string, pairs *Pairs) (err error) {
	db, err := sqlite.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	count, err := db.Count(ctx)
	if err != nil {
		return err
	}
	if count != pairs.Len() {
		return refuse("the database holds %s rows of %s", comma(count), comma(pairs.Len()))
	}
	step := max(1, pairs.Len()/sampleASINs)
	for at := 0; at < pairs.Len(); at += step {
		if err := checkASIN(ctx, db, pairs, int(pairs.At(at).ASIN)); err != nil {
			return err
		}
	}
	return nil
}

// checkASIN compares what the database holds of one ASIN: every relevant creative has its score, and a creative that
// is not relevant has zero.
func checkASIN(ctx context.Context, db store.Reader, pairs *Pairs, asin int) error {
	w := pairs.World()
	want := make(map[string]world.Score)
	var creatives []string
	for _, pair := range pairs.Of(asin) {
		creatives = append(creatives, w.Creative(int(pair.Creative)))
		want[w.Creative(int(pair.Creative))] = pair.Score
	}
	for j := range w.Creatives() {
		if _, relevant := want[w.Creative(j)]; !relevant {
			creatives = append(creatives, w.Creative(j))
			break
		}
	}
	stored := make([]world.Score, len(creatives))
	if err := db.Scores(ctx, w.ASIN(asin), creatives, stored); err != nil {
		return err
	}
	for i, creative := range creatives {
		if stored[i] != want[creative] {
			return refuse("the database has %s for (%s, %s) instead of %s",
				stored[i], w.ASIN(asin), creative, want[creative])
		}
	}
	return nil
}
