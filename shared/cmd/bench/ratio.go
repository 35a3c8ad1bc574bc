package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
)

// ratio compares two ways to do the same work. Both are measured in turn, A B A B, so that whatever else the machine
// does falls on both.
type ratio struct {
	name string
	unit string // of what a and b measure: "s", "req/s"
	goal goal
	a, b side
}

// side is one way to do the work. measure does it once and returns how long it took, or how fast it went.
type side struct {
	name    string
	measure func(ctx context.Context) (float64, error)
}

// goal bounds a ratio from above or from below. The zero goal bounds nothing: the ratio is reported.
type goal struct{ atMost, atLeast float64 }

func (g goal) met(ratio float64) bool {
	return ratio >= g.atLeast && (g.atMost == 0 || ratio <= g.atMost)
}

func (g goal) String() string {
	switch {
	case g.atMost > 0:
		return fmt.Sprintf("goal: at most %.2f", g.atMost)
	case g.atLeast > 0:
		return fmt.Sprintf("goal: at least %.2f", g.atLeast)
	}
	return "no goal"
}

// result is what both sides measured, round by round.
type result struct {
	a, b, rounds []float64 // rounds are the ratios of neighbours
	ratio        float64   // of the medians of a and b
}

// measure runs both sides once to warm up, and then so many rounds.
func (r ratio) measure(ctx context.Context, rounds int) (result, error) {
	var got result
	for round := -1; round < rounds; round++ {
		a, err := r.a.once(ctx)
		if err != nil {
			return result{}, err
		}
		b, err := r.b.once(ctx)
		if err != nil {
			return result{}, err
		}
		if round >= 0 {
			got.a, got.b, got.rounds = append(got.a, a), append(got.b, b), append(got.rounds, a/b)
		}
	}
	got.ratio = median(got.a) / median(got.b)
	return got, nil
}

func (s side) once(ctx context.Context) (float64, error) {
	value, err := s.measure(ctx)
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err() // and not how it showed
	case err != nil:
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	return value, nil
}

func (r ratio) print(out io.Writer, got result) {
	verdict := "met"
	if !r.goal.met(got.ratio) {
		verdict = "MISSED"
	}
	if r.goal == (goal{}) {
		verdict = "reported"
	}
	fmt.Fprintf(out, "%s: %.2f (%v: %s)\n", r.name, got.ratio, r.goal, verdict)
	fmt.Fprintf(out, "  %-36s %10s %10s %10s\n", "", "median", "min", "max")
	row := func(name string, values []float64, unit string) {
		fmt.Fprintf(out, "  %-36s %10s %10s %10s %s\n", name, figure(median(values)), figure(slices.Min(values)),
			figure(slices.Max(values)), unit)
	}
	row(r.a.name, got.a, r.unit)
	row(r.b.name, got.b, r.unit)
	row("ratio of neighbours", got.rounds, "")
	fmt.Fprintln(out)
}

// figure shows three or more significant digits.
func figure(value float64) string {
	if math.Abs(value) >= 100 {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
