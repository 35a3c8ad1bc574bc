package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/record"
)

// Judges as a step may have them. They are run again by Prove, by their names.

func TestAGoodJudge(t *testing.T) {
	made := Recorded(t, standInStep)
	require.Equal(t, 5.0, made.Numbers["rows"], "the number of rows")
	Prove(t, made, map[string]func(*record.Record){
		"another number of `rows`": func(r *record.Record) { r.Numbers["rows"] = 6 },
		"none":                     func(r *record.Record) { r.Numbers = nil },
	})
}

func TestOneOfSeveralJudges(t *testing.T) {
	t.Run("another (a+b)", func(t *testing.T) { require.False(t, judgesOwnRun(), "it is not run") })
	t.Run("the one (a+b) of them", func(t *testing.T) {
		made := Recorded(t, standInStep)
		require.Equal(t, 5.0, made.Numbers["rows"], "the number of rows")
		Prove(t, made, map[string]func(*record.Record){"more": func(r *record.Record) { r.Numbers["rows"]++ }})
	})
}

func TestASilentJudge(t *testing.T) {
	if Recorded(t, standInStep).Numbers["rows"] != 5 && judgesOwnRun() {
		t.Fatal("rows")
	}
}

func TestAJudgeThatLetsAllPass(t *testing.T) {
	if !judgesOwnRun() {
		t.Skip("it is run by another test")
	}
}

func TestAJudgeThatLetsNonePass(t *testing.T) {
	if judgesOwnRun() {
		require.Fail(t, "no", "it is not good enough")
	}
}

func TestAJudgeThatProvesNothingIsFoundOut(t *testing.T) {
	honest := Recorded(t, standInStep)
	more := func(r *record.Record) { r.Numbers["rows"]++ }
	prove := func(judge, name string, forge func(*record.Record)) *fake {
		return try(t, judge, func(t testing.TB) { Prove(t, honest, map[string]func(*record.Record){name: forge}) })
	}
	for _, c := range []struct {
		judge, forgery string
		forge          func(*record.Record)
		said           string
	}{
		{"TestAJudgeThatLetsAllPass", "more rows", more, "more rows: it passed"},
		{"TestAJudgeThatLetsAllPass", "more rows", more, "without a recorded run it fails, but"},
		{"TestAJudgeThatLetsNonePass", "more rows", more, "the honest run passes, but"},
		{"TestAJudgeThatLetsNonePass", "more rows", more, "without a recorded run it says so"},
		{"TestASilentJudge", "more rows", more, "it fails and does not tell what is wrong"},
		{"TestAGoodJudge", "more `columns`", more, "it fails and does not name it"},
		{"TestAGoodJudge", "no change", func(*record.Record) {}, "no change: nothing was forged"},
		{"TestThatIsNotThere", "more rows", more, "came to a verdict"},
	} {
		f := prove(c.judge, c.forgery, c.forge)
		require.True(t, f.failed, c.said)
		require.Contains(t, f.said, c.said)
	}
	require.False(t, prove("TestAGoodJudge", "more `rows`", more).failed)

	t.Run("and where the reader's own run is judged nothing is proven", func(t *testing.T) {
		t.Setenv("LAB_CHECK", "recorded")
		require.False(t, prove("TestAJudgeThatLetsAllPass", "more rows", more).failed)
	})
}
