package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scripted measures the given values one after the other, and writes its name down each time.
func scripted(name string, order *[]string, values ...float64) side {
	return side{name, func(context.Context) (float64, error) {
		*order = append(*order, name)
		value := values[0]
		values = values[1:]
		return value, nil
	}}
}

func TestBothSidesAreMeasuredInTurnAfterAWarmUp(t *testing.T) {
	var order []string
	r := ratio{name: "a / b", unit: "s", goal: goal{atMost: 0.5},
		a: scripted("a", &order, 99, 1, 2, 30), b: scripted("b", &order, 1, 10, 5, 4)}
	got, err := r.measure(t.Context(), 3)
	require.NoError(t, err)
	assert.Equal(t, strings.Fields("a b a b a b a b"), order)
	assert.InDelta(t, 2.0/5, got.ratio, 1e-9, "of the medians, without the first pair")
	assert.InDeltaSlice(t, []float64{0.1, 0.4, 7.5}, got.rounds, 1e-9)

	var out strings.Builder
	r.print(&out, got)
	assert.Contains(t, out.String(), "a / b: 0.40 (goal: at most 0.50: met)\n")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(line), 81)
	}
}

func TestAGoalIsABoundFromAboveOrFromBelow(t *testing.T) {
	assert.True(t, goal{atMost: 0.8}.met(0.8))
	assert.False(t, goal{atMost: 0.8}.met(0.81))
	assert.True(t, goal{atLeast: 0.7}.met(0.7))
	assert.False(t, goal{atLeast: 0.7}.met(0.69))
	assert.True(t, goal{}.met(100), "what has no goal cannot be missed")
}

func TestAnInterruptedMeasurementSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	killed := side{"a", func(context.Context) (float64, error) {
		cancel()
		return 0, errors.New("signal: killed")
	}}
	_, err := ratio{a: killed, b: killed}.measure(ctx, 1)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTheMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle(t *testing.T) {
	assert.Equal(t, 2.5, median([]float64{4, 1, 3, 2}))
	assert.Equal(t, 3.0, median([]float64{4, 1, 3}))
}
