package lab

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/record"
)

// lesson is as much of a README as a question needs.
func lesson(unit string) string {
	return `---
title: A lesson
part: 1
minutes: 1
disk: 1 MB
points: 1
needs: [go]
predict: {question: "How much of it?", unit: "` + unit + `", answer: share, why: "Because of the cache."}
hints: [a, b, c]
runs: [{id: main, command: go run ./steps/07-no-bloom}]
---
`
}

func TestAPersonAtATerminalIsAskedUntilThereIsANumber(t *testing.T) {
	for typed, want := range map[string]struct {
		given  bool
		number float64
	}{
		"61\n":                                {true, 61},
		"61.5%\n":                             {true, 61.5},
		"  61 %  \r\n":                        {true, 61},
		"61":                                  {true, 61}, // and Ctrl-D
		"\n":                                  {},
		"":                                    {},
		"many\n61\n":                          {true, 61},
		"-5\n101\n1e400\nNaN\n7\n":            {true, 7},
		"٣\n\n":                               {},
		"6,5\n0x1p4\n1e1\n+6.5\n":             {true, 6.5}, // a comma is no decimal point
		"\x00\x1b[31m\n12\n":                  {true, 12},
		strings.Repeat("9", 10<<20) + "\n8\n": {true, 8},
	} {
		t.Run(typed[:min(len(typed), 20)], func(t *testing.T) {
			var out strings.Builder
			guess, err := ask(t.Context(), lesson("%"), &out, strings.NewReader(typed), true)
			require.NoError(t, err)
			require.Equal(t, want.given, guess.given)
			require.Equal(t, want.number, guess.number)
			require.Contains(t, out.String(), "Predict: How much of it?\nYour prediction in % (Enter skips): ")
			require.NotContains(t, out.String(), "\x1b", "what was typed is not echoed as a control")
			require.Less(t, out.Len(), 2000)
		})
	}
}

func TestTheVariableAnswersWithoutATerminal(t *testing.T) {
	t.Setenv(PredictVariable, "1,061")
	var out strings.Builder
	guess, err := ask(t.Context(), lesson("ms"), &out, strings.NewReader("7\n"), true)
	require.NoError(t, err)
	require.Equal(t, "Predict: How much of it?\nyou say 1,061 ms\n", out.String())
	require.Equal(t, 1061.0, guess.number)

	for _, wrong := range []string{"many", "NaN", "Inf", "0x", "1e999", "61 apples", "--", "61,5", "1,0000", ","} {
		t.Setenv(PredictVariable, wrong)
		_, err := ask(t.Context(), lesson("ms"), io.Discard, strings.NewReader(""), false)
		require.Equal(t, cli.ExitUsage, cli.Report(err, io.Discard), wrong)
		require.ErrorContains(t, err, "PREDICT=")
	}
}

func TestNobodyIsAskedWhereThereIsNoTerminal(t *testing.T) {
	var out strings.Builder
	guess, err := ask(t.Context(), lesson("%"), &out, strings.NewReader("61\n"), false)
	require.NoError(t, err)
	require.False(t, guess.given)
	require.Contains(t, out.String(), "PREDICT=number makes one")
}

func TestAnInterruptEndsTheQuestion(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	silent, keyboard := io.Pipe()
	defer keyboard.Close()
	_, err := ask(ctx, lesson("%"), io.Discard, silent, true)
	require.ErrorIs(t, err, context.Canceled)
}

func TestThePredictionIsShownBesideTheMeasuredNumberAndRecorded(t *testing.T) {
	numbers := map[string]float64{"share": 72.4}
	for unit, want := range map[string]string{
		"%":  "you predicted 61%, measured: 72% (11 points off)\nwhy: Because of the cache.\n",
		"ms": "you predicted 61 ms, measured: 72 ms (11 ms off)\nwhy: Because of the cache.\n",
		"":   "you predicted 61, measured: 72 (11 off)\nwhy: Because of the cache.\n",
	} {
		t.Setenv(PredictVariable, "61")
		guess, err := ask(t.Context(), lesson(unit), io.Discard, strings.NewReader(""), false)
		require.NoError(t, err)
		var out strings.Builder
		guess.Tell(&out, numbers)
		require.Equal(t, want, out.String())
		require.Equal(t, &record.Prediction{Question: "How much of it?", Unit: unit, Predicted: 61, Measured: 72.4},
			guess.Recorded(numbers))
	}

	t.Run("the difference is that of the figures shown", func(t *testing.T) {
		t.Setenv(PredictVariable, "68")
		guess, err := ask(t.Context(), lesson("%"), io.Discard, strings.NewReader(""), false)
		require.NoError(t, err)
		var out strings.Builder
		guess.Tell(&out, numbers)
		require.Contains(t, out.String(), "measured: 72% (4 points off)")
	})
	t.Run("one that shows the same figure is exact", func(t *testing.T) {
		t.Setenv(PredictVariable, "72")
		guess, err := ask(t.Context(), lesson("%"), io.Discard, strings.NewReader(""), false)
		require.NoError(t, err)
		var out strings.Builder
		guess.Tell(&out, numbers)
		require.Contains(t, out.String(), "measured: 72% (exactly)")
	})
	t.Run("without a prediction there is the measured number, and nothing to record", func(t *testing.T) {
		t.Setenv(PredictVariable, "")
		guess, err := ask(t.Context(), lesson("%"), io.Discard, strings.NewReader(""), false)
		require.NoError(t, err)
		var out strings.Builder
		guess.Tell(&out, numbers)
		require.Equal(t, "measured: 72%\nwhy: Because of the cache.\n", out.String())
		require.Nil(t, guess.Recorded(numbers))
	})
	t.Run("without the number there is nothing to tell", func(t *testing.T) {
		t.Setenv(PredictVariable, "61")
		guess, err := ask(t.Context(), lesson("%"), io.Discard, strings.NewReader(""), false)
		require.NoError(t, err)
		var out strings.Builder
		guess.Tell(&out, nil)
		require.Empty(t, out.String())
		require.Nil(t, guess.Recorded(nil))
	})
}

func TestALessonThatCannotBeReadIsAnError(t *testing.T) {
	_, err := ask(t.Context(), "no front matter", io.Discard, strings.NewReader(""), false)
	require.ErrorContains(t, err, "the lesson of this step")
}

func TestWhatThereIsToSeeIsIndentedBelowItsArrow(t *testing.T) {
	sentence := "-> " + strings.Repeat("read ", 20)
	require.Equal(t, "-> "+strings.Repeat("read ", 14)+"read\n   read read read read read", wrap(io.Discard, sentence))
	require.Equal(t, "", wrap(io.Discard, ""))
}
