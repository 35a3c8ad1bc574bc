// Command lintsteps holds every step to its shape, so that a reader who knows one step knows them all: the same files,
// a main.go that is read in a minute, the same sections, a record made from the commands that the lesson shows, and a
// module that builds alone. It tells everything that is wrong, one line each, and then fails.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/weave"
)

func main() {
	cli.Main(func(ctx context.Context) error {
		flags := cli.Flags("lintsteps holds every step to its shape.")
		if err := cli.Parse(flags); err != nil {
			return err
		}
		root, err := home.Checkout()
		if err != nil {
			return err
		}
		err = lint(ctx, root, os.Stdout)
		return course.Tell(err, os.Stderr, "lint-steps: the steps are not in shape; see the lines above")
	})
}

// lint returns everything that is wrong as course.Problems, by file and line.
func lint(ctx context.Context, root string, out io.Writer) error {
	c, err := course.Read(root)
	var problems course.Problems
	if err != nil && !errors.As(err, &problems) {
		return err
	}
	for _, step := range c.Steps {
		problems = append(problems, files(step)...)
		problems = append(problems, sections(step)...)
		problems = append(problems, references(step)...)
		problems = append(problems, module(ctx, step)...)
	}
	problems = append(problems, weave.Typed(c)...)
	modules, wrong := workspace(ctx, c.Root)
	problems = append(problems, wrong...)
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b course.Problem) int {
			return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
		})
		return problems
	}
	fmt.Fprintf(out, "lint-steps: %d steps and %d modules are in shape\n", len(c.Steps), modules)
	return nil
}
