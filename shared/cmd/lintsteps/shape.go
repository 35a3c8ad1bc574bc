package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/weave"
)

// longestMain is how many lines a step's main.go may have: what is read in a minute.
const longestMain = 120

// everyStep are the files that each step has, and mayHave what it may have beside them; a folder ends with /.
var (
	everyStep = []string{"go.mod", "main.go", "README.md", "check_test.go", course.ReferenceFile}
	mayHave   = []string{"go.sum", "exercise/", "solution/"}
)

// files holds the step's folder to its five files.
func files(step course.Step) (problems course.Problems) {
	entries, err := os.ReadDir(step.Dir)
	if err != nil {
		return course.Problems{{File: "steps/" + step.Folder, Message: err.Error()}}
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() {
			name += "/"
		}
		names = append(names, name)
		if !slices.Contains(everyStep, name) && !slices.Contains(mayHave, name) && name != ".DS_Store" {
			problems = append(problems, course.Problem{File: step.File(name),
				Message: "does not belong into a step, which holds " + strings.Join(everyStep, ", ") +
					"; what is not its lesson lives in shared/"})
		}
	}
	for _, name := range everyStep {
		// The course tells of a README.md that is missing, and references of a reference.json.
		if !slices.Contains(names, name) && name != "README.md" && name != course.ReferenceFile {
			problems = append(problems, course.Problem{File: step.File(name), Message: "is missing; every step has one"})
		}
	}
	if text, err := os.ReadFile(filepath.Join(step.Dir, "main.go")); err == nil {
		if lines := bytes.Count(text, []byte("\n")); lines > longestMain {
			problems = append(problems, course.Problem{File: step.File("main.go"), Line: longestMain + 1,
				Message: fmt.Sprintf("has %d lines; a step's main.go has at most %d, the rest lives in shared/",
					lines, longestMain)})
		}
	}
	return problems
}

// lessonSections are the sections of a lesson, in order.
var lessonSections = []string{"Predict", "Run", "Observe", "Why", "Go further"}

// sections holds the lesson to its sections.
func sections(step course.Step) course.Problems {
	file := step.File("README.md")
	text, err := os.ReadFile(filepath.Join(step.Dir, "README.md"))
	if err != nil {
		return nil //nolint:nilerr // reading the course has told of it
	}
	want := strings.Join(lessonSections, " · ")
	headings := weave.Headings(string(course.Unix(text)), 2)
	for i, heading := range headings {
		if i >= len(lessonSections) || heading.Text != lessonSections[i] {
			return course.Problems{{File: file, Line: heading.Line,
				Message: fmt.Sprintf("section %q is out of place; the sections are %s", heading.Text, want)}}
		}
	}
	if len(headings) < len(lessonSections) {
		return course.Problems{{File: file,
			Message: fmt.Sprintf("section %q is missing; the sections are %s", lessonSections[len(headings)], want)}}
	}
	return nil
}

// references holds the record to the commands that the lesson declares.
func references(step course.Step) (problems course.Problems) {
	file := step.File(course.ReferenceFile)
	reference, err := step.Reference()
	if err != nil {
		return course.Problems{{File: file, Message: strings.TrimPrefix(err.Error(), file+" ")}}
	}
	again := fmt.Sprintf("; record it again with: make reference STEP=%d", step.Number)
	wrong := func(format string, args ...any) {
		problems = append(problems, course.Problem{File: file, Message: fmt.Sprintf(format, args...) + again})
	}
	if reference.RecordedAt.IsZero() || reference.Machine.OS == "" || reference.Machine.Go == "" {
		wrong("does not say when and on what it was recorded")
	}
	if len(reference.Runs) != len(step.Runs) {
		wrong("holds %d runs, and README.md declares %d", len(reference.Runs), len(step.Runs))
	}
	for i, run := range step.Runs[:min(len(step.Runs), len(reference.Runs))] {
		switch recorded := reference.Runs[i]; {
		case recorded.ID != run.ID:
			wrong("run %d is %s, and README.md declares %s there", i+1, recorded.ID, run.ID)
		case recorded.Command != run.Command:
			wrong("run %s was recorded with %q, and README.md declares %q", run.ID, recorded.Command, run.Command)
		case recorded.Exit != run.Exit:
			wrong("run %s ended with exit status %d, and README.md declares %d", run.ID, recorded.Exit, run.Exit)
		}
	}
	if _, ok := reference.Numbers[step.Predict.Answer]; step.Predict.Answer != "" && !ok {
		wrong("has no number %s, which predict.answer names", step.Predict.Answer)
	}
	return problems
}
