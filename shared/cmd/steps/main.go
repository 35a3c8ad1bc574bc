// Command steps lists the steps of the lab, which is what make prints; with --find it prints the folder of one step,
// which is how make step-6 learns what to run.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
)

func main() {
	cli.Main(func(context.Context) error {
		flags := cli.Flags("steps lists the steps of the lab.")
		find := flags.String("find", "", "print the folder of this step (its number or name) and nothing else")
		if err := cli.Parse(flags); err != nil {
			return err
		}
		root, err := home.Checkout()
		if err != nil {
			return err
		}
		where, err := home.Find()
		if err != nil {
			return err
		}
		if *find != "" {
			return locate(root, where, *find, os.Stdout, os.Stderr)
		}
		return course.Tell(help(root, where, os.Stdout), os.Stderr, "some lessons cannot be read; see the lines above")
	})
}

// help prints the whole help; steps whose lesson is at fault are listed by their folder, and the faults returned.
func help(root string, where home.Home, out io.Writer) error {
	c, err := course.Read(root)
	if c == nil {
		return err
	}
	fmt.Fprint(out, "relevance-lab: how a precomputed lookup service gets fast and stays correct,\n"+
		"and how you prove it\n")
	list(c, where, out)
	fmt.Fprint(out, commands)
	return err
}

// locate prints the step's folder. A step that does not exist is wrong use, answered with the list on stderr.
func locate(root string, where home.Home, name string, out, stderr io.Writer) error {
	c, err := course.Read(root)
	if c == nil {
		return err
	}
	step, ok := c.Find(name)
	if !ok {
		list(c, where, stderr)
		return cli.Usagef("there is no step %s; the steps are those above", name)
	}
	fmt.Fprintln(out, step.Folder)
	return nil
}

// list prints every step under its part, with a mark where a run of it is recorded.
func list(c *course.Course, where home.Home, out io.Writer) {
	part, marked := -1, false
	for _, step := range c.Steps {
		if step.Part != part {
			part = step.Part
			fmt.Fprintf(out, "\n%s\n", course.PartTitle(part))
		}
		mark := " "
		if _, err := os.Stat(record.Path(where.Results(), step.Folder)); err == nil {
			mark, marked = "x", true
		}
		title, minutes := step.Title, fmt.Sprintf("%d min", step.Minutes)
		if title == "" {
			title, minutes = "("+step.Name+"; its lesson cannot be read)", ""
		}
		fmt.Fprintf(out, "  [%s] make step-%-3d %-50s %8s\n", mark, step.Number, title, minutes)
	}
	if marked {
		fmt.Fprint(out, "\n[x]: your own run of it is recorded in results/\n")
	}
}

// commands is the part of the help that is not steps. Every target in it is one of the Makefile's. No line of it is
// longer than 80 columns.
const commands = `
Each step prints the plain go run command before it runs it. ARGS passes flags:
make step-6 ARGS="--seconds 5". Steps with an experiment ask for a prediction
before they run; PREDICT=61 make step-7 answers without being asked.

In two terminals
  make api                   serve on port 8000 (PORT=8001); Ctrl-C stops it
  make batch DAY=2026-10-31  publish a day (THRESHOLD=0.95, FORCE=1)
  make load                  the load test against make api
  make rollback              back to the build published before (TO=build, day)

Around it
  make doctor                what is there, what is missing, and the remedy
  make check                 format, vet, lessons, tests; needs Go alone
  make reset                 remove data/ and results/; asks, unless YES=1
  make setup                 download the modules now, to work offline later

For those who change the lab
  make reference STEP=6      run a step's commands for real and record them
  make reference-check       run them again; fail where a lesson says otherwise
  make weave                 put recorded outputs and code into the lessons
  make lint-steps            hold every step to its shape
  make bench                 the speed ratios
  make tidy                  go.mod, go.sum and go.work as go writes them
  make dist                  dist/relevance-lab.zip, for people without git
  make ci                    all that continuous integration runs
`
