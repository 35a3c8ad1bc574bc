package batch

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

// small is a world whose batch takes milliseconds.
func small() world.Config { return world.Config{Seed: 42, ASINs: 400, Categories: 10, Creatives: 80} }

func smallPairs(t *testing.T) *Pairs {
	pairs, err := Score(context.Background(), world.New(small(), world.FirstDay), 600)
	require.NoError(t, err)
	require.Greater(t, pairs.Len(), 100)
	return pairs
}

func TestTheGateLetsHonestRowsPass(t *testing.T) {
	pairs := smallPairs(t)
	assert.NoError(t, checkRows(pairs.Rows(), pairs.World()))
}

func TestTheGateRefusesRowsThatAreWrongInThemselves(t *testing.T) {
	pairs := smallPairs(t)
	for name, spoil := range map[string]func(rows []store.Row) []store.Row{
		"a score of zero":   func(rows []store.Row) []store.Row { rows[5].Score = 0; return rows },
		"a score above one": func(rows []store.Row) []store.Row { rows[5].Score = 1001; return rows },
		"a pair that comes twice": func(rows []store.Row) []store.Row {
			return slices.Insert(rows, 5, rows[5])
		},
		"a pair out of order": func(rows []store.Row) []store.Row {
			rows[5], rows[6] = rows[6], rows[5]
			return rows
		},
		"an unknown ASIN":         func(rows []store.Row) []store.Row { rows[5].ASIN += "0"; return rows },
		"an ASIN of another size": func(rows []store.Row) []store.Row { rows[len(rows)-1].ASIN = "B000000400"; return rows },
		"an unknown creative":     func(rows []store.Row) []store.Row { rows[5].Creative = "cr-80"; return rows },
		"an empty creative":       func(rows []store.Row) []store.Row { rows[0].Creative = ""; return rows },
		"an empty ASIN":           func(rows []store.Row) []store.Row { rows[0].ASIN = ""; return rows },
	} {
		rows := spoil(slices.Collect(pairs.Rows()))
		assert.ErrorIs(t, checkRows(slices.Values(rows), pairs.World()), ErrRefused, name)
	}
}

func TestTheGateRefusesAVersionWithoutPairsEvenByForce(t *testing.T) {
	none := newPairs(world.New(small(), world.FirstDay), 950, nil)
	err := (&run{Options: Options{Force: true, Threshold: 950}, pairs: none}).validate()
	assert.EqualError(t, err, "refusing to publish: no pair has a score of 0.95 or more; lower --threshold")
}

func TestTheGateMeasuresHowFarTheRowsMoved(t *testing.T) {
	for _, move := range []struct {
		live, now int
		want      string
	}{
		{276_536, 276_536, ""},
		{276_536, 280_948, ""},
		{1000, 1300, ""},
		{1000, 700, ""},
		{1000, 1302, "row count moved 30% (1,000 -> 1,302)"},
		{280_948, 5_910, "row count moved 98% (280,948 -> 5,910)"},
		{10, 1000, "row count moved 9900% (10 -> 1,000)"},
	} {
		assert.Equal(t, move.want, checkMove(move.live, move.now, 0.30))
	}
}

func TestTheGateRefusesAFilterThatDeniesAKey(t *testing.T) {
	pairs := smallPairs(t)
	filter := (&run{pairs: pairs}).filter()
	assert.NoError(t, checkFilter(filter, pairs.Rows()))
	assert.ErrorIs(t, checkFilter(bloom.New(pairs.Len(), 0.01), pairs.Rows()), ErrRefused)
}

func TestTheGateReadsBackWhatWasWritten(t *testing.T) {
	pairs := smallPairs(t)
	for name, test := range map[string]struct {
		spoil   func(rows []store.Row) []store.Row
		refused bool
	}{
		"all of it":        {func(rows []store.Row) []store.Row { return rows }, false},
		"a row is missing": {func(rows []store.Row) []store.Row { return rows[1:] }, true},
		"a row is too many": {func(rows []store.Row) []store.Row {
			return append(rows, store.Row{ASIN: "B999999999", Creative: "cr-1", Score: 700})
		}, true},
		"every score is a thousandth off": {func(rows []store.Row) []store.Row {
			for i := range rows {
				rows[i].Score--
			}
			return rows
		}, true},
		"every row is another creative's": {func(rows []store.Row) []store.Row {
			for i := range rows {
				rows[i].Creative = "x" + rows[i].Creative
			}
			return rows
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "scores.db")
			_, err := sqlite.Create(t.Context(), path, slices.Values(test.spoil(slices.Collect(pairs.Rows()))))
			require.NoError(t, err)
			err = checkStored(t.Context(), path, pairs)
			if test.refused {
				assert.ErrorIs(t, err, ErrRefused)
			} else {
				assert.NoError(t, err)
			}
		})
	}
}
