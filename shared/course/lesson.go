package course

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// needs are what a step may need beside the checkout, and what a person calls it. Every step needs go.
var needs = []struct{ key, title string }{
	{"go", "Go"}, {"cgo", "C compiler"}, {"java", "Java 21"}, {"chromium", "Chromium"}, {"aws", "AWS account"},
}

// NeedTitle is what a person calls a need: "Java 21" for java. An unknown need has an empty one.
func NeedTitle(need string) string {
	for _, known := range needs {
		if known.key == need {
			return known.title
		}
	}
	return ""
}

// Lesson is the front matter of a step's README.md.
type Lesson struct {
	Title   string   `yaml:"title"`
	Part    int      `yaml:"part"`    // 1 to 5, see PartTitle
	Minutes int      `yaml:"minutes"` // to read and run it all
	Disk    string   `yaml:"disk"`    // what the step adds on disk: "40 MB"
	Points  int      `yaml:"points"`  // of the grader
	Needs   []string `yaml:"needs"`
	Predict Predict  `yaml:"predict"`
	Hints   []string `yaml:"hints"` // three, the gentlest first
	After   []int    `yaml:"after"` // the steps that set the scene when this one is recorded alone
	Runs    []Run    `yaml:"runs"`

	lines map[string]int // line of each key: "title", "runs.1.command"
}

// Predict is what the step asks before anything runs.
type Predict struct {
	Question string `yaml:"question"`
	Unit     string `yaml:"unit"`   // of the answer; may be empty
	Answer   string `yaml:"answer"` // name of the number, in the step's recorded run, that answers it; may be empty
	Why      string `yaml:"why"`    // a sentence or two, told after the answer; may be empty
}

// Run is one command whose output the lesson shows.
type Run struct {
	ID      string `yaml:"id"`
	Command string `yaml:"command"` // as a person types it in the root of the checkout
	Exit    int    `yaml:"exit"`    // the status that is expected
	Short   string `yaml:"short"`   // a quicker command whose output has the same shape; empty: Command itself
	Until   string `yaml:"until"`   // a server: it is recorded up to the line that holds this text, and runs on
	Through string `yaml:"through"` // the run after which the server is stopped; empty: the step's last
	Later   bool   `yaml:"later"`   // record also what the server prints after that line
	Once    string `yaml:"once"`    // wait with this run until a server of the step has printed this text

	// Varies lists texts that mark lines which depend on the machine: progress, or a verdict on what was measured. A
	// line that holds one of them is recorded and shown, and left out when the shape of the output is compared.
	Varies []string `yaml:"varies"`
}

// Background tells whether the command goes on while later runs of the step use it.
func (r Run) Background() bool { return r.Until != "" }

// Run returns the run with an id.
func (l Lesson) Run(id string) (Run, bool) {
	for _, run := range l.Runs {
		if run.ID == id {
			return run, true
		}
	}
	return Run{}, false
}

// Split separates a page's front matter from its body. first is the line number on which the body starts. A page
// without front matter is all body.
func Split(page string) (matter, body string, first int) {
	rest, found := strings.CutPrefix(page, "---\n")
	if !found {
		return "", page, 1
	}
	matter, body, found = strings.Cut("\n"+rest, "\n---\n")
	if !found {
		return "", page, 1
	}
	matter = strings.TrimPrefix(matter, "\n")
	return matter, body, strings.Count(page[:len(page)-len(body)], "\n") + 1
}

// matterLine is the line of a README on which its front matter's first key stands.
const matterLine = 2

// readLesson reads a README's front matter. file is how problems call it.
func readLesson(path, file string) (Lesson, Problems) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Lesson{}, Problems{{File: file, Message: "is missing; every step has a lesson"}}
	}
	if err != nil {
		return Lesson{}, Problems{{File: file, Message: err.Error()}}
	}
	matter, _, first := Split(string(Unix(text)))
	if first == 1 {
		return Lesson{}, Problems{{File: file, Line: 1,
			Message: "has no front matter: it starts with a line ---, keys, and a line ---"}}
	}
	lesson, problems := parseLesson(matter)
	for i := range problems {
		problems[i].File = file
	}
	return lesson, problems
}

// ParseLesson reads the front matter of a lesson that a program carries with it. The error is of type Problems.
func ParseLesson(page string) (Lesson, error) {
	matter, _, _ := Split(string(Unix([]byte(page))))
	lesson, problems := parseLesson(matter)
	return lesson, problems.asError()
}

func parseLesson(matter string) (Lesson, Problems) {
	var lesson Lesson
	decoder := yaml.NewDecoder(strings.NewReader(matter))
	decoder.KnownFields(true)
	if err := decoder.Decode(&lesson); err != nil && !errors.Is(err, io.EOF) {
		return Lesson{}, yamlProblems(err)
	}
	lesson.lines = map[string]int{}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(matter), &document); err == nil && len(document.Content) > 0 {
		place(document.Content[0], "", lesson.lines)
	}
	return lesson, lesson.problems()
}

var (
	yamlLine    = regexp.MustCompile(`line ([0-9]+): (.*)$`)
	yamlUnknown = regexp.MustCompile(`^field (\S+) not found in type .*$`)
)

// yamlProblems turns the decoder's error into problems that count lines as the README does.
func yamlProblems(err error) (problems Problems) {
	messages := []string{strings.TrimPrefix(err.Error(), "yaml: ")}
	var wrongTypes *yaml.TypeError
	if errors.As(err, &wrongTypes) {
		messages = wrongTypes.Errors
	}
	for _, message := range messages {
		line := 1
		if match := yamlLine.FindStringSubmatch(message); match != nil {
			number, _ := strconv.Atoi(match[1])
			line, message = number+matterLine-1, match[2]
		}
		message = yamlUnknown.ReplaceAllString(message, `there is no key "$1"; see the package comment of shared/course`)
		problems = append(problems, Problem{Line: line, Message: "front matter: " + message})
	}
	return problems
}

// place notes the line of every key below node.
func place(node *yaml.Node, path string, lines map[string]int) {
	below := func(name string, key, value *yaml.Node) {
		lines[path+name] = key.Line + matterLine - 1
		place(value, path+name+".", lines)
	}
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			below(node.Content[i].Value, node.Content[i], node.Content[i+1])
		}
	case yaml.SequenceNode:
		for i, value := range node.Content {
			below(strconv.Itoa(i), value, value)
		}
	}
}

var (
	diskSize   = regexp.MustCompile(`^[0-9]+ (kB|MB|GB)$`)
	identifier = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// problems holds the lesson to what its fields promise.
func (l Lesson) problems() (problems Problems) {
	require := func(ok bool, key, format string, args ...any) {
		if !ok {
			problems = append(problems, Problem{Line: max(1, l.lines[key]), Message: key + ": " + fmt.Sprintf(format, args...)})
		}
	}
	require(strings.TrimSpace(l.Title) != "", "title", "is missing")
	require(PartTitle(l.Part) != "", "part", "is a number from 1 to %d", len(parts)-1)
	require(l.Minutes > 0, "minutes", "is how long the step takes, from 1")
	require(diskSize.MatchString(l.Disk), "disk", "is what the step adds on disk, like 40 MB")
	_, hasPoints := l.lines["points"]
	require(hasPoints && l.Points >= 0, "points", "is what the grader gives, from 0")
	require(slices.Contains(l.Needs, "go"), "needs", "lists what the step needs, and go is in it")
	for i, need := range l.Needs {
		require(NeedTitle(need) != "", fmt.Sprintf("needs.%d", i), "%q is none of go, cgo, java, chromium, aws", need)
	}
	require(strings.TrimSpace(l.Predict.Question) != "", "predict", "has no question")
	require(len(l.Hints) == 3, "hints", "are three, the gentlest first; there are %d", len(l.Hints))
	for i, hint := range l.Hints {
		require(strings.TrimSpace(hint) != "", fmt.Sprintf("hints.%d", i), "is empty")
	}
	require(len(l.Runs) > 0, "runs", "lists the commands whose output the lesson shows; there is none")
	for i, run := range l.Runs {
		key := func(name string) string { return fmt.Sprintf("runs.%d%s", i, name) }
		require(identifier.MatchString(run.ID), key(".id"),
			"%q is not a name of lower-case letters, digits and hyphens", run.ID)
		same := slices.IndexFunc(l.Runs, func(other Run) bool { return other.ID == run.ID })
		require(same == i, key(".id"), "%q is there twice", run.ID)
		_, err := ParseCommand(run.Command)
		require(err == nil, key(".command"), "%v", err)
		if run.Short != "" {
			_, err := ParseCommand(run.Short)
			require(err == nil, key(".short"), "%v", err)
		}
		require(run.Background() || !run.Later, key(".later"), "is for a server, which has an until")
		earlier := slices.ContainsFunc(l.Runs[:i], Run.Background)
		require(run.Once == "" || earlier, key(".once"), "waits for a server, and no earlier run is one")
		require(!slices.Contains(run.Varies, ""), key(".varies"), "holds an empty text, which every line holds")
		through := slices.IndexFunc(l.Runs, func(other Run) bool { return other.ID == run.Through })
		require(run.Through == "" || run.Background() && through > i, key(".through"),
			"is for a server, which has an until, and names a run that comes after it")
	}
	return problems
}

// Unix returns text with every line ending as one line feed, whatever the checkout made of it.
func Unix(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
