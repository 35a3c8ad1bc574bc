// Command weave fills the lessons with recorded outputs and with code cut from the source; with --check it changes
// nothing and fails where a page is stale. See package weave for the markers.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/weave"
)

func main() {
	cli.Main(func(context.Context) error {
		flags := cli.Flags("weave puts recorded outputs and code from the source into the lessons.")
		check := flags.Bool("check", false, "write nothing; fail where a page is not what its sources say")
		step := flags.String("step", "", "only the lesson of this step")
		if err := cli.Parse(flags); err != nil {
			return err
		}
		root, err := home.Checkout()
		if err != nil {
			return err
		}
		pages, err := woven(root, *step)
		if err != nil {
			return course.Tell(err, os.Stderr, "weave: nothing was written; see the lines above")
		}
		if *check {
			return course.Tell(fresh(pages, os.Stdout), os.Stderr, "weave: pages are stale; run: make weave")
		}
		return save(pages, os.Stdout)
	})
}

// woven weaves all pages, or the lesson of one step, which other steps' problems then do not hold up.
func woven(root, only string) ([]weave.Page, error) {
	c, err := course.Read(root)
	var problems course.Problems
	if err != nil && !errors.As(err, &problems) {
		return nil, err
	}
	if only == "" {
		if err != nil {
			return nil, err
		}
		return weave.All(c)
	}
	step, ok := c.Find(only)
	if !ok {
		return nil, cli.Usagef("there is no step %s", only)
	}
	for _, problem := range problems {
		if strings.HasPrefix(problem.File, step.File("")) {
			return nil, problems
		}
	}
	return weave.Lesson(c, step)
}

// fresh fails where a page is stale.
func fresh(pages []weave.Page, out io.Writer) error {
	var stale course.Problems
	for _, page := range pages {
		for _, line := range page.Stale {
			stale = append(stale, course.Problem{File: page.File, Line: line,
				Message: "what stands here is not what its source says; run: make weave"})
		}
	}
	if len(stale) > 0 {
		return stale
	}
	fmt.Fprintf(out, "weave: %d pages are what their sources say\n", len(pages))
	return nil
}

func save(pages []weave.Page, out io.Writer) error {
	for _, page := range pages {
		if err := page.Save(); err != nil {
			return fmt.Errorf("write %s: %w", page.File, err)
		}
		if len(page.Stale) > 0 {
			fmt.Fprintf(out, "wove %s\n", page.File)
		}
	}
	return nil
}
