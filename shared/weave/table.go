package weave

import (
	"errors"
	"fmt"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// steps is the table of the steps, one table for each part that has any.
func (l loom) steps(words []string) (string, error) {
	if len(words) > 0 {
		return "", errors.New("takes no words")
	}
	var out strings.Builder
	part := 0
	for _, step := range l.course.Steps {
		if step.Part != part {
			part = step.Part
			if out.Len() > 0 {
				out.WriteString("\n")
			}
			fmt.Fprintf(&out, "**%s**\n\n", course.PartTitle(part))
			out.WriteString("| step | what it does | minutes | disk | needs |\n|---|---|--:|--:|---|\n")
		}
		needs := make([]string, len(step.Needs))
		for i, need := range step.Needs {
			needs[i] = course.NeedTitle(need)
		}
		fmt.Fprintf(&out, "| [%s](%s) | %s | %d | %s | %s |\n", step.Folder, l.link("steps/"+step.Folder), cell(step.Title),
			step.Minutes, step.Disk, strings.Join(needs, ", "))
	}
	return out.String(), nil
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
