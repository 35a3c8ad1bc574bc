// Package weave puts into the lessons what must not be typed by hand: outputs of recorded runs, code of the programs,
// figures, and the table of steps. A lesson says where each goes; weave fills the place, and says when what stands
// there is no longer what its source says. A page therefore cannot drift from the program that it explains.
//
// # Markers
//
// A marker is an HTML comment, so it does not show on the page. What stands between it and <!-- /weave --> is replaced.
// All markers but number stand on a line of their own, which may be indented within a list.
//
//	<!-- weave:command publish -->
//	<!-- weave:output publish -->
//	<!-- weave:code shared/bloom/size.go Size -->
//	<!-- weave:code shared/bloom/filter.go Filter.Has -->
//	<!-- weave:code steps/01-batch/main.go #publish -->
//	<!-- weave:code shared/interest/create_tables.sql -->
//	<!-- weave:steps -->
//	<!-- weave:number 06 requests_per_second -->665<!-- /weave --> requests a second
//
// command is the command to type, of a run that the lesson's front matter declares: with make too where it is the plain
// step, and for PowerShell where that differs. output is the command and what it printed when it was last recorded in
// reference.json. A run of another step is written 06/load; the pages outside steps/ always write the step.
//
// code is cut from a source file, whose path starts at the root of the checkout: a function, a type, a method, the
// whole block of a constant or variable, each with its comment; or, behind #, the lines between a comment
// "weave:begin publish" and a comment "weave:end publish"; or, with no name, the file. A link to the line follows it.
//
// number is a figure from reference.json, within a line of text: the step (06, or 06/load for one run of several), the
// name of the number, and, where the default does not fit, its form: comma (8,102), percent (0.497 is 50%), .1 (one
// decimal). By default whole numbers and those from 1,000 up take commas, and others three significant digits.
//
// steps is the table of the steps, by part.
//
// # What it refuses
//
// A marker that is unknown or does not end, a name that is not in the source, a run that is not declared, not recorded,
// or recorded with another command: each is a problem that names file and line, and then no page is written at all.
//
// In a lesson no fenced block may stand outside a marker, because a block that looks like code or output would be one
// that nobody checks. A mermaid picture is free, and so is a block of sh that holds only commands of declared runs.
package weave

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/record"
)

// Page is one page after weaving.
type Page struct {
	File  string // from the root of the checkout, with forward slashes
	Text  []byte // as it should be
	Stale []int  // lines of the markers whose content is not what the source says
	path  string
}

// Save writes the page, whole or not at all. A page that is not stale is left alone.
func (p Page) Save() error {
	if len(p.Stale) == 0 {
		return nil
	}
	return record.WriteFile(p.path, p.Text)
}

// All weaves every page of the checkout. The error is of type course.Problems when a page is at fault.
func All(c *course.Course) ([]Page, error) { return weave(c, files(c)) }

// Lesson weaves the lesson of one step.
func Lesson(c *course.Course, step course.Step) ([]Page, error) {
	return weave(c, []source{{file: step.File("README.md"), step: &step}})
}

// source is a page as it is on disk; step is nil for the pages outside steps/.
type source struct {
	file string
	step *course.Step
}

// files lists the pages that may hold markers.
func files(c *course.Course) []source {
	pages := []source{{file: "README.md"}, {file: "CONTRIBUTING.md"}}
	for i := range c.Steps {
		pages = append(pages, source{file: c.Steps[i].File("README.md"), step: &c.Steps[i]})
	}
	return pages
}

func (s source) read(root string) (text, path string, err error) {
	path = filepath.Join(root, filepath.FromSlash(s.file))
	content, err := os.ReadFile(path)
	return string(course.Unix(content)), path, err
}

func weave(c *course.Course, sources []source) ([]Page, error) {
	var pages []Page
	var problems course.Problems
	references := references{}
	for _, source := range sources {
		text, path, err := source.read(c.Root)
		if errors.Is(err, os.ErrNotExist) {
			continue // a lesson that is missing is the course's problem, and a checkout needs no CONTRIBUTING.md
		}
		if err != nil {
			return nil, err
		}
		loom := loom{course: c, page: source, references: references}
		page := Page{File: source.file, path: path}
		var wrong course.Problems
		page.Text, page.Stale, wrong = loom.weave(text)
		pages = append(pages, page)
		problems = append(problems, wrong...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return pages, nil
}

// loom weaves one page.
type loom struct {
	course     *course.Course
	page       source
	references references
}

func (l loom) weave(text string) (fresh []byte, stale []int, problems course.Problems) {
	var out bytes.Buffer
	fail := func(line int, err error) {
		problems = append(problems, course.Problem{File: l.page.file, Line: line, Message: err.Error()})
	}
	for _, piece := range parse(text) {
		if piece.err != nil {
			fail(piece.line, piece.err)
			continue
		}
		if piece.marker == "" {
			out.WriteString(piece.text)
			continue
		}
		content, err := l.render(piece)
		if err == nil && !piece.inline {
			content = indent(strings.TrimRight(content, "\n"), piece.indent) + "\n"
		}
		if err == nil && strings.Contains(content, end) {
			err = fmt.Errorf("what belongs here holds the text %s itself", end)
		}
		if err != nil {
			fail(piece.line, fmt.Errorf("weave:%s: %w", piece.marker, err))
			continue
		}
		if content != piece.text {
			stale = append(stale, piece.line)
		}
		out.WriteString(piece.open + content + piece.close)
	}
	return out.Bytes(), stale, problems
}

// render makes what belongs between a marker and its end.
func (l loom) render(p piece) (string, error) {
	switch p.marker {
	case "command":
		return l.command(p.words)
	case "output":
		return l.output(p.words)
	case "code":
		return l.code(p.words)
	case "number":
		return l.number(p.words)
	case "steps":
		return l.steps(p.words)
	}
	return "", errors.New("there is no such marker; there are command, output, code, number and steps")
}

func indent(text, prefix string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = prefix + line
		}
	}
	return strings.Join(lines, "\n")
}

// fence puts text into a fenced block whose fence is longer than any within it.
func fence(language, text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + language + "\n" + strings.TrimRight(text, "\n") + "\n" + mark + "\n"
}
