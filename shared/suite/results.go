package suite

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"example.com/relevance-lab/shared/course"
)

// Check checks one step: Run or Judge.
type Check func(ctx context.Context, step course.Step) (Result, error)

// Results are those of several steps, in their order.
type Results []Result

// laptop is the part whose checks Numbers counts by themselves.
const laptop = 1

// Numbers are the figures for the record. checks counts every check that had its say; laptop_checks those of part 1.
func (r Results) Numbers() map[string]float64 {
	sum, broken := r.sum()
	onLaptop := 0
	for _, result := range r {
		if result.Part == laptop {
			onLaptop += result.checks()
		}
	}
	return map[string]float64{
		"steps": float64(len(r)), "steps_broken": float64(broken), "checks": float64(sum.checks()),
		"laptop_checks": float64(onLaptop), "passed": float64(sum.Passed), "failed": float64(sum.Failed),
		"skipped": float64(sum.Skipped), "seconds": sum.Seconds,
	}
}

func (r Result) checks() int { return r.Passed + r.Failed + r.Skipped }

// Summary is the last line: "57 passed, 0 failed in 74 s".
func (r Results) Summary() string {
	sum, broken := r.sum()
	line := fmt.Sprintf("%d passed, %d failed", sum.Passed, sum.Failed)
	if sum.Skipped > 0 {
		line += fmt.Sprintf(", %d skipped", sum.Skipped)
	}
	line += fmt.Sprintf(" in %.0f s", sum.Seconds)
	if broken > 0 {
		line += "; " + english.Plural(broken, "step", "") + " could not be checked"
	}
	return line
}

// Err is nil when every check passed or was skipped, and there was at least one.
func (r Results) Err() error {
	sum, broken := r.sum()
	switch {
	case sum.Failed > 0 && broken > 0:
		return fmt.Errorf("%s failed, and %s could not be checked; see above",
			english.Plural(sum.Failed, "check", ""), english.Plural(broken, "step", ""))
	case sum.Failed > 0:
		return fmt.Errorf("%s failed; see above", english.Plural(sum.Failed, "check", ""))
	case broken > 0:
		return fmt.Errorf("%s could not be checked; see above", english.Plural(broken, "step", ""))
	case sum.checks() == 0:
		return errors.New("nothing was checked; see above")
	}
	return nil
}

func (r Results) sum() (sum Result, broken int) {
	for _, result := range r {
		sum.Passed += result.Passed
		sum.Failed += result.Failed
		sum.Skipped += result.Skipped
		sum.Seconds += result.Seconds
		if result.Broken != "" {
			broken++
		}
	}
	return sum, broken
}
