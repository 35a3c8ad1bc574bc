package suite

import (
	"slices"
	"strings"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
)

// Choose reads the steps of the checkout at root and returns those of the parts up to lastPart, without the step self,
// which would run itself. only limits them to those that it names, comma separated; what names none is wrong use. A
// lesson that cannot be read keeps no check from running: its step counts to the part of the step before.
func Choose(root, only string, lastPart int, self string) ([]course.Step, error) {
	c, err := course.Read(root)
	if c == nil {
		return nil, err
	}
	part := 1
	var steps []course.Step
	for _, step := range c.Steps {
		if step.Part == 0 {
			step.Part = part
		}
		part = step.Part
		if part <= lastPart && step.Folder != self {
			steps = append(steps, step)
		}
	}
	if only == "" {
		return steps, nil
	}
	var wanted []string
	for name := range strings.SplitSeq(only, ",") {
		step, ok := c.Find(strings.TrimSpace(name))
		if !ok || !slices.ContainsFunc(steps, func(s course.Step) bool { return s.Folder == step.Folder }) {
			return nil, cli.Usagef("--step: %q is none of %s", name, course.Folders(steps))
		}
		wanted = append(wanted, step.Folder)
	}
	return slices.DeleteFunc(steps, func(s course.Step) bool { return !slices.Contains(wanted, s.Folder) }), nil
}
