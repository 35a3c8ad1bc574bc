package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/record"
)

func TestAProgramThatIsNoExperimentIsFoundOut(t *testing.T) {
	stranger := Experiment{Step: standInStep, Run: []string{"PREDICT=72"}}
	for said, judge := range map[string]func(testing.TB){
		"the prediction is recorded":             func(t testing.TB) { stranger.Tells(t) },
		"with --json stdout is the record alone": stranger.PrintsTheRecordAlone,
		"expected: 1":                            stranger.NamesABusyPort,
		"expected: 2":                            stranger.RefusesWrongUse,
		`"second" is missing, or comes too early`: func(t testing.TB) {
			inOrder(t, "second first", []string{"first", "second"})
		},
		`"first third" is missing, or comes too early`: func(t testing.TB) {
			inOrder(t, "first second", []string{"first\nthird"})
		},
	} {
		f := try(t, "", judge)
		require.True(t, f.failed, said)
		require.Contains(t, f.said, said)
	}
	inOrder(t, "first second first", []string{"first", "second", "first"})
}

func TestForgeriesOfOneExperimentStandBesideThoseOfAll(t *testing.T) {
	all := Forged(nil)
	require.Greater(t, len(all), 12)
	mine := Forged(map[string]func(*record.Record){"mine": func(*record.Record) {}})
	require.Len(t, mine, len(all)+1)
	require.Contains(t, mine, "mine")
}
