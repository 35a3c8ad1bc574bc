// Command reference runs the commands that the lessons show, for real, and records what they print in each step's
// reference.json. With --check it records nothing: it runs each command in its short form and fails where the shape of
// the output is no longer that of the record, so that no lesson drifts from its program.
//
// The commands run in the root of the checkout, with a LAB_HOME of their own that all steps of one invocation share, so
// that step 02 sees what step 01 published and your own data/ and results/ are left alone. Ports 8000 to 8099 stand for
// free ones while a command runs. A record never holds a path or the name of the machine it was made on.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
)

func main() {
	cli.Main(func(ctx context.Context) error {
		flags := cli.Flags("reference runs the commands of the lessons and records what they print.")
		step := flags.String("step", "", "only this step, after the steps that its front matter names in after")
		check := flags.Bool("check", false, "record nothing; compare the shape of each output with the record")
		limit := flags.Duration("limit", 10*time.Minute, "longest time for one command, or for a server to start")
		if err := cli.Parse(flags); err != nil {
			return err
		}
		root, err := home.Checkout()
		if err != nil {
			return err
		}
		err = run(ctx, root, *step, *check, *limit, os.Stdout)
		return course.Tell(err, os.Stderr, "reference: a step does not print what it should; see the lines above")
	})
}

// run records or checks the chosen steps.
func run(ctx context.Context, root, only string, check bool, limit time.Duration, out io.Writer) (err error) {
	c, steps, err := choose(root, only)
	if err != nil {
		return err
	}
	session, err := open(c, limit, out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	if check {
		return checkAll(ctx, session, steps)
	}
	for _, step := range steps {
		reference, err := session.record(ctx, step)
		if err != nil {
			return err
		}
		if err := reference.Save(step); err != nil {
			return err
		}
		fmt.Fprintf(out, "recorded %s\n", step.File(course.ReferenceFile))
	}
	return nil
}

// choose returns all steps, or the one asked for, which other steps' faulty lessons then do not hold up.
func choose(root, only string) (*course.Course, []course.Step, error) {
	c, err := course.Read(root)
	if c == nil {
		return nil, nil, err
	}
	if only == "" {
		return c, c.Steps, err
	}
	step, ok := c.Find(only)
	if !ok {
		return nil, nil, cli.Usagef("there is no step %s; there are %s", only, course.Folders(c.Steps))
	}
	var problems course.Problems
	errors.As(err, &problems)
	for _, problem := range problems {
		if strings.HasPrefix(problem.File, step.File("")) {
			return nil, nil, problems
		}
	}
	return c, []course.Step{step}, nil
}
