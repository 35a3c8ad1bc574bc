package weave

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// Typed finds the blocks of code and output that stand on a page outside a marker, where nothing holds them to the
// program. On the pages outside steps/ blocks that are neither code nor output are free: commands, examples of YAML
// and Markdown, pictures.
func Typed(c *course.Course) (problems course.Problems) {
	for _, source := range files(c) {
		text, _, err := source.read(c.Root)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, course.Problem{File: source.file, Message: err.Error()})
			continue
		}
		for _, problem := range source.typed(text) {
			problem.File = source.file
			problems = append(problems, problem)
		}
	}
	return problems
}

var (
	listItem = regexp.MustCompile(`^ {0,3}(?:[-*+]|[0-9]+[.)])(?: |$)`)
	rawBlock = regexp.MustCompile(`(?i)<(pre|xmp|listing)\b`)
)

// freeLanguages may be typed on the pages outside steps/.
var freeLanguages = []string{"mermaid", "sh", "powershell", "yaml", "markdown"}

func (s source) typed(text string) (problems course.Problems) {
	_, body, first := course.Split(text)
	lines := strings.SplitAfter(body, "\n")
	inList, afterBlank := false, true
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		if blockMarker.MatchString(line) {
			if last, err := blockEnd(lines, i); err == nil {
				i = last
				continue
			}
		}
		if last := fenceEnd(lines, i); last > i {
			language := strings.TrimSpace(fenceLine.FindStringSubmatch(line)[2])
			if err := s.mayType(language, lines[i+1:last]); err != nil {
				problems = append(problems, course.Problem{Line: first + i, Message: err.Error()})
			}
			i, afterBlank = last, true
			continue
		}
		deep := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		switch {
		case strings.TrimSpace(line) == "":
			afterBlank = true
			continue
		case listItem.MatchString(line):
			inList = true
		case afterBlank && deep && !inList:
			problems = append(problems, course.Problem{Line: first + i,
				Message: "is an indented block of code; weave code and output instead of typing them"})
		case afterBlank && !strings.HasPrefix(line, " ") && !deep:
			inList = false
		}
		if rawBlock.MatchString(codeSpan.ReplaceAllString(line, "")) {
			problems = append(problems, course.Problem{Line: first + i,
				Message: "is a block of code in HTML; weave code and output instead of typing them"})
		}
		afterBlank = false
	}
	return problems
}

// mayType tells why a fenced block may not stand outside a marker.
func (s source) mayType(language string, lines []string) error {
	if s.step == nil {
		if slices.Contains(freeLanguages, language) {
			return nil
		}
		return fmt.Errorf("a block of %q is typed by hand; only %s may be, all else is woven",
			language, strings.Join(freeLanguages, ", "))
	}
	if language == "mermaid" {
		return nil
	}
	if language != "sh" {
		return fmt.Errorf("a block of %q is typed by hand; use weave:code or weave:output", language)
	}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		known := slices.ContainsFunc(s.step.Runs, func(run course.Run) bool { return strings.TrimSpace(run.Command) == line })
		if line != "" && !known {
			return fmt.Errorf("%q is typed by hand and no run of the front matter; declare it and use weave:command", line)
		}
	}
	return nil
}
