package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/record"
)

// checkAll runs every command in its short form and compares the shapes. All differences are told, then it fails.
func checkAll(ctx context.Context, s *session, steps []course.Step) error {
	var problems []error
	for _, step := range steps {
		reference, err := step.Reference()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		runs, _, err := s.runs(ctx, step, true)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for i, run := range runs {
			if difference := compare(reference, run, step.Runs[i].Varies); difference != "" {
				problems = append(problems, fmt.Errorf("%s: run %s is not as it was recorded; "+
					"if that is right: make reference STEP=%d weave\n%s",
					step.File(course.ReferenceFile), run.ID, step.Number, difference))
			}
		}
	}
	if len(problems) == 0 {
		fmt.Fprintf(s.out, "reference: steps checked: %d; every command prints what its lesson shows\n", len(steps))
	}
	return errors.Join(problems...)
}

// compare tells how a run differs in shape from its record; empty where it does not.
// Lines that hold a text of varies are left out.
func compare(reference course.Reference, run course.Recorded, varies []string) string {
	recorded, ok := reference.Run(run.ID)
	if !ok {
		return "  it is not recorded"
	}
	if recorded.Command != run.Command {
		return fmt.Sprintf("- $ %s\n+ $ %s", strings.TrimSpace(recorded.Command), strings.TrimSpace(run.Command))
	}
	cpus := []string{reference.Machine.CPU, record.ThisMachine().CPU}
	was, wasLines := skeleton(without(recorded.Output, varies), cpus...)
	is, isLines := skeleton(without(run.Output, varies), cpus...)
	return difference(was, is, wasLines, isLines)
}

// without leaves out the lines that hold one of the texts.
func without(output string, texts []string) string {
	lines := slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(line, text) })
	})
	return strings.Join(lines, "\n")
}

// difference prints the lines of was that are gone and the lines of is that are new, as they were printed, with the
// lines that both have in between left out. It follows a longest common subsequence.
func difference(was, is, wasLines, isLines []string) string {
	common := make([][]int, len(was)+1)
	for i := range common {
		common[i] = make([]int, len(is)+1)
	}
	for i := len(was) - 1; i >= 0; i-- {
		for j := len(is) - 1; j >= 0; j-- {
			if was[i] == is[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < len(was) || j < len(is) {
		switch {
		case i < len(was) && j < len(is) && was[i] == is[j]:
			i, j = i+1, j+1
		case j == len(is) || i < len(was) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+wasLines[i])
			i++
		default:
			out = append(out, "+ "+isLines[j])
			j++
		}
	}
	return strings.Join(out, "\n")
}
