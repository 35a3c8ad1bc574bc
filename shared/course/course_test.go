package course_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
)

const lesson = "steps/01-hello/README.md"

func TestTheStepsAreReadFromTheFolders(t *testing.T) {
	root := coursetest.Checkout(t)
	c, err := course.Read(root)
	require.NoError(t, err)
	require.Len(t, c.Steps, 2)
	first := c.Steps[0]
	require.Equal(t, 1, first.Number)
	require.Equal(t, "hello", first.Name)
	require.Equal(t, "01-hello", first.Folder)
	require.Equal(t, "example.com/relevance-lab/steps/01-hello", first.Module())
	require.Equal(t, "go run ./steps/01-hello", first.Command())
	require.Equal(t, "Hello", first.Title)
	require.Equal(t, course.Predict{Question: "How many rows?", Unit: "rows", Answer: "rows"}, first.Predict)
	require.Equal(t, []string{"One.", "Two.", "Three."}, first.Hints)
	require.Equal(t, []int{1}, c.Steps[1].After)
	run, ok := c.Steps[1].Run("serve")
	require.True(t, ok)
	require.True(t, run.Background())
}

func TestAStepIsFoundByNumberFolderOrName(t *testing.T) {
	c, err := course.Read(coursetest.Checkout(t))
	require.NoError(t, err)
	for _, text := range []string{"2", "02", "02-serve", "serve"} {
		step, ok := c.Find(text)
		require.True(t, ok, text)
		require.Equal(t, 2, step.Number, text)
	}
	for _, text := range []string{"3", "", "ser", "-2"} {
		_, ok := c.Find(text)
		require.False(t, ok, text)
	}
}

func TestFaultyFrontMatterIsToldWithFileAndLine(t *testing.T) {
	for name, fault := range map[string]struct{ old, new, want string }{
		"an unknown key":            {"minutes: 5", "minuts: 5", `:4: front matter: there is no key "minuts"`},
		"a wrong type":              {"minutes: 5", "minutes: many", ":4: front matter: cannot unmarshal"},
		"broken YAML":               {"needs: [go]", "needs: [go", ":6: front matter: did not find"},
		"a missing key":             {"points: 10\n", "", ":1: points: is what the grader gives"},
		"no such part":              {"part: 1", "part: 9", ":3: part: is a number from 1 to 5"},
		"a size without a unit":     {"disk: 1 MB", "disk: lots", ":5: disk: is what the step adds"},
		"an unknown need":           {"[go]", "[go, ruby]", `:7: needs.1: "ruby" is none of`},
		"no go":                     {"[go]", "[java]", ":7: needs: lists what the step needs"},
		"two hints":                 {"  - Three.\n", "", ":12: hints: are three, the gentlest first; there are 2"},
		"no question":               {"question: How many rows?", "question: ' '", ":8: predict: has no question"},
		"the same id twice":         {"id: refused", "id: plain", `:19: runs.1.id: "plain" is there twice`},
		"a pipe":                    {"--refuse", "| tail", ":20: runs.1.command: uses |, which needs a shell"},
		"later without until":       {"exit: 3", "later: true", ":21: runs.1.later: is for a server"},
		"a run through itself":      {"exit: 3", "until: x\n    through: refused", ":22: runs.1.through: is for a server"},
		"no server to wait for":     {"exit: 3", "once: ready", ":21: runs.1.once: waits for a server"},
		"an empty text":             {"exit: 3", "varies: ['']", ":21: runs.1.varies: holds an empty text"},
		"a scene that comes later":  {"points: 10", "points: 10\nafter: [1]", ":7: after: 1 is not an earlier step"},
		"a page without a matter":   {"---\n", "", ":1: has no front matter"},
		"a matter that is not over": {"exit: 3\n---\n", "exit: 3\n", ":1: has no front matter"},
	} {
		t.Run(name, func(t *testing.T) {
			root := coursetest.Checkout(t)
			coursetest.Edit(t, root, lesson, fault.old, fault.new)
			c, err := course.Read(root)
			var problems course.Problems
			require.ErrorAs(t, err, &problems)
			require.ErrorContains(t, err, lesson+fault.want)
			require.Len(t, c.Steps, 2, "the steps are there all the same")
		})
	}
}

func TestEveryProblemIsToldAtOnce(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Edit(t, root, lesson, "minutes: 5", "minutes: 0")
	coursetest.Edit(t, root, lesson, "title: Hello", "title: ''")
	require.NoError(t, os.Remove(filepath.Join(root, "steps/02-serve/README.md")))
	_, err := course.Read(root)
	require.ErrorContains(t, err, lesson+":2: title: is missing")
	require.ErrorContains(t, err, lesson+":4: minutes: ")
	require.ErrorContains(t, err, "steps/02-serve/README.md: is missing; every step has a lesson")
}

func TestTheNumbersOfTheFoldersAreContiguous(t *testing.T) {
	for name, fault := range map[string]struct{ from, to, want string }{
		"a gap":               {"02-serve", "03-serve", "steps/03-serve: comes after step 01; number it 02"},
		"no first step":       {"01-hello", "05-hello", "steps/02-serve: comes after step 00; number it 01"},
		"a number twice":      {"02-serve", "01-serve", "steps/01-serve: has the number of steps/01-hello"},
		"a name without one":  {"02-serve", "serve", "steps/serve: is not a step"},
		"upper-case in names": {"02-serve", "02-Serve", "steps/02-Serve: is not a step"},
	} {
		t.Run(name, func(t *testing.T) {
			root := coursetest.Checkout(t)
			require.NoError(t, os.Rename(filepath.Join(root, "steps", fault.from), filepath.Join(root, "steps", fault.to)))
			_, err := course.Read(root)
			require.ErrorContains(t, err, fault.want)
		})
	}
}

func TestAFolderWithoutStepsIsNoCheckout(t *testing.T) {
	_, err := course.Read(t.TempDir())
	require.ErrorContains(t, err, "is it the root of the checkout?")
}

func TestWindowsLineEndingsReadTheSame(t *testing.T) {
	root := coursetest.Checkout(t)
	want, err := course.Read(root)
	require.NoError(t, err)
	text := coursetest.Read(t, root, lesson)
	coursetest.Write(t, root, lesson, string(toWindows(text)))
	got, err := course.Read(root)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func toWindows(text string) (out []byte) {
	for _, char := range []byte(text) {
		if char == '\n' {
			out = append(out, '\r')
		}
		out = append(out, char)
	}
	return out
}

func TestAReferenceReadsBackAsItWasSaved(t *testing.T) {
	root := coursetest.Checkout(t)
	c, err := course.Read(root)
	require.NoError(t, err)
	_, err = c.Steps[0].Reference()
	require.ErrorIs(t, err, course.ErrNotRecorded)
	require.ErrorContains(t, err, "make reference STEP=1")

	want := course.Reference{Schema: course.ReferenceSchema, Config: map[string]any{"seed": 42.0},
		Runs: []course.Recorded{{ID: "plain", Command: "go run", Output: "a <b> & c\n"}}}
	require.NoError(t, want.Save(c.Steps[0]))
	got, err := c.Steps[0].Reference()
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Contains(t, coursetest.Read(t, root, "steps/01-hello/reference.json"), "a <b> & c", "a person can read it")
	entries, err := os.ReadDir(c.Steps[0].Dir)
	require.NoError(t, err)
	require.Len(t, entries, 5, "no temporary file stays")
}

func TestAReferenceThatCannotBeReadSaysWhatToDo(t *testing.T) {
	root := coursetest.Checkout(t)
	c, err := course.Read(root)
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"schema":1,`:            "is damaged",
		`{"schema":1,"extra":2}`:  "is damaged",
		`{"schema":99,"runs":[]}`: "has schema 99",
	} {
		coursetest.Write(t, root, "steps/01-hello/reference.json", text)
		_, err := c.Steps[0].Reference()
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "make reference STEP=1")
	}
}
