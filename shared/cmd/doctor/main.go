// Command doctor says what this machine has for the lab and what it lacks, each with its remedy and the steps that
// need it. It looks only: nothing is installed, no network is used, and of credentials it sees that they are there. It
// fails only when something is missing that the laptop part needs.
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
)

func main() {
	cli.Main(func(ctx context.Context) error {
		flags := cli.Flags("doctor says what this machine has for the lab and what it lacks.")
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
		c, err := course.Read(root)
		var faulty course.Problems // of lessons; make lint-steps tells them
		if err != nil && !errors.As(err, &faulty) {
			return err
		}
		return report(examine(ctx, thisMachine(where)), c, os.Stdout)
	})
}

// state is how a finding counts.
type state string

const (
	fine    state = "ok"
	note    state = "note"    // works, and there is something to know
	absent  state = "absent"  // some steps need it
	missing state = "missing" // the laptop part needs it
)

// finding is what doctor found on one subject.
type finding struct {
	subject string
	state   state
	detail  string
	remedy  string // what to do, where there is something to do
	need    string // the word for it in a step's needs; empty where no step names it
}

// report prints the findings and fails where the laptop part lacks something.
func report(findings []finding, c *course.Course, out io.Writer) error {
	var lacking []string
	for _, f := range findings {
		fmt.Fprintf(out, "%-8s %-16s %s\n", f.state, f.subject, f.detail)
		if f.remedy != "" {
			fmt.Fprintf(out, "%-8s %-16s -> %s\n", "", "", f.remedy)
		}
		if f.need != "" && f.state != fine {
			by := "no step of this checkout needs it"
			if steps := c.Needing(f.need); len(steps) > 0 {
				by = "needed by " + course.Folders(steps)
			}
			fmt.Fprintf(out, "%-8s %-16s -> %s\n", "", "", by)
		}
		if f.state == missing {
			lacking = append(lacking, f.subject)
		}
	}
	if len(lacking) > 0 {
		return fmt.Errorf("the laptop part lacks: %s", strings.Join(lacking, ", "))
	}
	fmt.Fprintln(out, "all that the laptop part needs is there")
	return nil
}
