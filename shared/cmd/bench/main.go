// Bench prints the lab's speed ratios: a whole process of ours against another program that does the same work, side by
// side on this machine. Absolute times drift by a quarter within the hour; a ratio of neighbours does not.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/proc"
)

func main() {
	proc.Dispatch(rowWriter(), lab.API(), load.Worker(), bare())
	cli.Main(run)
}

// family is a group of ratios that share their material. dir is theirs to fill, and is removed in the end.
type family struct {
	name    string
	prepare func(ctx context.Context, dir string) ([]ratio, error)
}

var families = []family{
	{"rows", rowRatios},
	{"http", httpRatios},
}

func run(ctx context.Context) error {
	flags := cli.Flags("Prints the lab's speed ratios, measured A B A B.")
	rounds := flags.Int("rounds", 5, "how often each side is measured")
	only := flags.String("only", "", "measure one family only: "+names())
	if err := cli.Parse(flags); err != nil {
		return err
	}
	if *rounds < 1 {
		return cli.Usagef("--rounds: %d is not a number from 1 up", *rounds)
	}
	chosen := families
	if *only != "" {
		chosen = slices.DeleteFunc(slices.Clone(families), func(f family) bool { return f.name != *only })
	}
	if len(chosen) == 0 {
		return cli.Usagef("--only: there is no family %q; there are: %s", *only, names())
	}
	return measure(ctx, chosen, *rounds)
}

// measure prints each ratio as soon as it is known. A goal that was missed is an error in the end.
func measure(ctx context.Context, chosen []family, rounds int) error {
	dir, err := os.MkdirTemp("", "relevance-lab-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	missed := 0
	for _, family := range chosen {
		ratios, err := family.prepare(ctx, dir)
		if err != nil {
			return fmt.Errorf("bench %s: %w", family.name, err)
		}
		for _, r := range ratios {
			result, err := r.measure(ctx, rounds)
			if err != nil {
				return fmt.Errorf("bench %s: %w", r.name, err)
			}
			r.print(os.Stdout, result)
			if !r.goal.met(result.ratio) {
				missed++
			}
		}
	}
	if missed > 0 {
		return errors.New("a goal was missed; close other programs and measure again before you believe it")
	}
	return nil
}

func names() string {
	var all []string
	for _, family := range families {
		all = append(all, family.name)
	}
	return strings.Join(all, ", ")
}
