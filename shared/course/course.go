// Package course reads the steps of the lab as the checkout holds them.
//
// The order of the steps lives in one place, the numbers of the folders steps/NN-name. What a step is called, how long
// it takes, what it needs, what it asks, and which commands its lesson shows stand in the front matter of its
// README.md. What those commands printed, when they were last run for real, stands in its reference.json. The Makefile,
// the weaver, the recorder, the linter and the site all read steps through this package, so there is no second list to
// keep.
//
// Front matter is strict. An unknown key, a missing one, or a value that nothing can be done with is a Problem that
// names file and line. Read returns all problems at once, and with them every step that could be read.
//
// # Front matter
//
//	title: The API
//	part: 1                     # 1 to 5
//	minutes: 10
//	disk: 40 MB                 # what the step adds
//	points: 10                  # of the grader
//	needs: [go]                 # go, cgo, java, chromium, aws
//	after: [1]                  # optional: the steps that set the scene when this one is recorded alone
//	predict:
//	  question: How many seconds pass until the API serves a new version?
//	  unit: s                   # optional
//	  answer: swap_s            # optional: the number of the step's recorded run that answers it
//	  why: It looks every 250 ms. # optional: a sentence or two, told with the answer
//	hints: [a gentle one, a clearer one, nearly the answer]
//	runs:
//	  - id: serve
//	    command: BLOOM=off go run ./steps/04-api
//	    until: listening on     # a server: recorded up to this line, it runs on while later runs use it
//	    through: ask            # optional: stopped after this run; otherwise after the step's last
//	    later: true             # optional: record also what it prints until it is stopped
//	  - id: ask
//	    once: serving version   # optional: wait until a server of the step has printed this
//	    command: curl -s localhost:8000/healthz
//	    exit: 7                 # optional: the program's status, 0 otherwise
//	    short: curl --version   # optional: a quicker command with an output of the same shape, for checks
//	    varies: [" s of "]      # optional: lines that hold one of these texts are not compared in checks
//
// A run is one command without a shell: settings, words, quotes. A line may end with a backslash and go on.
//
// The package reads text. It does not run, build or judge a step.
package course

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ModulePrefix begins the path of every module of the checkout.
const ModulePrefix = "example.com/relevance-lab/"

// parts names the parts of the course; the index is the number in the front matter, and 0 is no part.
var parts = [...]string{
	1: "On your laptop",
	2: "The garbage collector",
	3: "On AWS",
	4: "The pool that was too small",
	5: "The fan-out tail",
}

// PartTitle is the heading of a part: "Part 1 · On your laptop". A part that does not exist has an empty one.
func PartTitle(part int) string {
	if part < 1 || part >= len(parts) {
		return ""
	}
	return fmt.Sprintf("Part %d · %s", part, parts[part])
}

// Course is the steps of one checkout, in order.
type Course struct {
	Root  string // absolute
	Steps []Step
}

// Step is one folder below steps/.
type Step struct {
	Number int    // 6
	Name   string // "load"
	Folder string // "06-load"
	Dir    string // absolute
	Lesson
}

// Module is the path that the step's go.mod declares.
func (s Step) Module() string { return ModulePrefix + "steps/" + s.Folder }

// File is the path of one of the step's files from the root of the checkout, with forward slashes.
func (s Step) File(name string) string { return "steps/" + s.Folder + "/" + name }

// Command is what runs the step, from the root of the checkout, on every system.
func (s Step) Command() string { return "go run ./steps/" + s.Folder }

// Read reads the steps of the checkout at root. The error is of type Problems when the steps are at fault; the course
// then holds every step whose folder has a proper name, with an empty Lesson where the lesson could not be read.
func Read(root string) (*Course, error) {
	course, problems, err := folders(root)
	if err != nil {
		return nil, err
	}
	for i := range course.Steps {
		step := &course.Steps[i]
		lesson, wrong := readLesson(filepath.Join(step.Dir, "README.md"), step.File("README.md"))
		step.Lesson = lesson
		problems = append(problems, wrong...)
		problems = append(problems, step.checkScene()...)
	}
	return course, problems.asError()
}

// folderName is the form of a step's folder: two digits and a name of lower-case words.
var folderName = regexp.MustCompile(`^([0-9]{2})-([a-z0-9]+(?:-[a-z0-9]+)*)$`)

// folders reads the names of the folders only.
func folders(root string) (*Course, Problems, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(filepath.Join(root, "steps"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s holds no folder steps; is it the root of the checkout?", root)
	}
	if err != nil {
		return nil, nil, err
	}
	course := &Course{Root: root}
	var problems Problems
	for _, entry := range entries {
		name := entry.Name()
		match := folderName.FindStringSubmatch(name)
		if match == nil || !entry.IsDir() {
			problems = append(problems, Problem{File: "steps/" + name,
				Message: "is not a step; steps/ holds folders named like 07-no-bloom and nothing else"})
			continue
		}
		number, _ := strconv.Atoi(match[1])
		course.Steps = append(course.Steps, Step{
			Number: number, Name: match[2], Folder: name, Dir: filepath.Join(root, "steps", name),
		})
	}
	slices.SortStableFunc(course.Steps, func(a, b Step) int { return a.Number - b.Number })
	return course, append(problems, gaps(course.Steps)...), nil
}

// gaps tells where the numbers 1, 2, 3, … are broken.
func gaps(steps []Step) (problems Problems) {
	for i, step := range steps {
		switch {
		case i > 0 && step.Number == steps[i-1].Number:
			problems = append(problems, Problem{File: "steps/" + step.Folder,
				Message: fmt.Sprintf("has the number of steps/%s; every step has a number of its own", steps[i-1].Folder)})
		case i > 0 && step.Number > steps[i-1].Number+1, i == 0 && step.Number != 1:
			before := 0
			if i > 0 {
				before = steps[i-1].Number
			}
			problems = append(problems, Problem{File: "steps/" + step.Folder,
				Message: fmt.Sprintf("comes after step %02d; number it %02d, there are no gaps", before, before+1)})
		}
	}
	return problems
}

// Find returns the step that text names: its number ("6", "06"), its folder or its name.
func (c *Course) Find(text string) (Step, bool) {
	number, err := strconv.Atoi(text)
	for _, step := range c.Steps {
		if err == nil && step.Number == number || step.Folder == text || step.Name == text {
			return step, true
		}
	}
	return Step{}, false
}

// Needing returns the steps that need something: "java", "aws", ….
func (c *Course) Needing(need string) (steps []Step) {
	for _, step := range c.Steps {
		if slices.Contains(step.Needs, need) {
			steps = append(steps, step)
		}
	}
	return steps
}

// checkScene holds a step to scenes that come before it.
func (s Step) checkScene() (problems Problems) {
	for _, before := range s.After {
		if before < 1 || before >= s.Number {
			problems = append(problems, Problem{File: s.File("README.md"), Line: s.lines["after"],
				Message: fmt.Sprintf("after: %d is not an earlier step", before)})
		}
	}
	return problems
}

// Folders joins the folders of steps for a message: "04-api, 05-ask".
func Folders(steps []Step) string {
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = step.Folder
	}
	return strings.Join(names, ", ")
}
