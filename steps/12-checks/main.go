// Step 12 runs the checks of parts 1 to 3, step by step, and says what they found. A part of which this checkout holds
// no step is named, so that nobody takes its silence for a pass.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/suite"
)

//go:embed README.md
var lesson string

// self is this step, which would run itself; lastPart is the last of the parts that it is about.
const (
	self     = "12-checks"
	lastPart = 3
)

func main() {
	proc.Dispatch(suite.Role())
	cli.Main(run)
}

func run(ctx context.Context) error {
	flags := cli.Flags("Runs the checks of the steps of parts 1 to 3.")
	only := flags.String("step", "", "only these `steps`, by number or name, comma separated: 1,4,load")
	recorded := flags.Bool("recorded", false, "judge your own runs in results/ and start no program again")
	if err := cli.Parse(flags); err != nil {
		return err
	}
	root, err := home.Checkout()
	if err != nil {
		return err
	}
	steps, err := suite.Choose(root, *only, lastPart, self)
	if err != nil {
		return err
	}
	check := suite.Run
	if *recorded {
		check = suite.Judge
	}
	if *only != "" || *recorded {
		results, err := walk(ctx, steps, check, *only == "")
		return errors.Join(err, results.Err())
	}

	// All of them, afresh: this is the run that is predicted and recorded.
	guess, err := lab.AskFor(ctx, lesson, os.Stdout)
	if err != nil {
		return err
	}
	results, err := walk(ctx, steps, check, true)
	if err == nil {
		err = errors.Join(save(results, guess), results.Err())
	}
	if err == nil {
		guess.Tell(os.Stdout, results.Numbers())
	}
	return err
}

// walk checks one step after the other, so that each has the machine for itself, and prints as it goes. Where all steps
// are meant, it names the parts that have none.
func walk(ctx context.Context, steps []course.Step, check suite.Check, all bool) (results suite.Results, err error) {
	for part := 1; part <= lastPart; part++ {
		before := len(results)
		for _, step := range steps {
			if step.Part != part {
				continue
			}
			if len(results) == before {
				fmt.Println(course.PartTitle(part))
			}
			result, err := check(ctx, step)
			if err != nil {
				return nil, err
			}
			result.Write(os.Stdout)
			results = append(results, result)
		}
		if all && len(results) == before {
			fmt.Printf("%s: no step of it is in this checkout yet\n", course.PartTitle(part))
		}
	}
	fmt.Println(results.Summary())
	return results, nil
}

func save(results suite.Results, guess lab.Guess) error {
	where, err := home.Find()
	if err != nil {
		return err
	}
	numbers := results.Numbers()
	made, err := record.New(self, nil, numbers, results)
	if err != nil {
		return err
	}
	made.Prediction = guess.Recorded(numbers)
	return made.Save(where.Results())
}
