package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/record"
)

// shaped is a checkout in which nothing is wrong.
func shaped(t *testing.T) (root string) {
	t.Helper()
	root = coursetest.Checkout(t)
	c, err := course.Read(root)
	require.NoError(t, err)
	for _, step := range c.Steps {
		reference := course.Reference{Schema: course.ReferenceSchema, RecordedAt: record.Record{}.RecordedAt.AddDate(2026, 0, 0),
			Machine: record.ThisMachine(), Numbers: map[string]float64{"rows": 1}}
		for _, run := range step.Runs {
			reference.Runs = append(reference.Runs, course.Recorded{ID: run.ID, Command: run.Command, Exit: run.Exit, Output: "x\n"})
		}
		require.NoError(t, reference.Save(step))
	}
	return root
}

func linted(t *testing.T, root string) (said string, problems []string) {
	t.Helper()
	var out strings.Builder
	err := lint(t.Context(), root, &out)
	if err != nil {
		problems = strings.Split(err.Error(), "\n")
	}
	return out.String(), problems
}

func TestAStepInShapePasses(t *testing.T) {
	root := shaped(t)
	coursetest.Write(t, root, "steps/01-hello/go.sum", "")
	coursetest.Write(t, root, "steps/01-hello/exercise/main.go", "package main\n")
	said, problems := linted(t, root)
	require.Empty(t, problems)
	require.Equal(t, "lint-steps: 2 steps and 3 modules are in shape\n", said)
}

func TestEachFaultIsToldByFile(t *testing.T) {
	const readme = "steps/01-hello/README.md"
	type edit struct{ file, old, new string }
	for name, fault := range map[string]struct {
		edit
		want string
	}{
		"front matter":             {edit{readme, "minutes: 5\n", ""}, readme + ":1: minutes: is how long"},
		"a section missing":        {edit{readme, "## Why\n", ""}, readme + `:44: section "Go further" is out of place`},
		"the last section missing": {edit{readme, "## Go further\n", ""}, readme + `: section "Go further" is missing`},
		"a section too many":       {edit{readme, "## Go further", "## Go further\n## More"}, readme + `:46: section "More" is out of place`},
		"sections out of order":    {edit{readme, "## Predict\n\n## Run", "## Run\n\n## Predict"}, readme + `:26: section "Run" is out of place`},
		"output typed by hand":     {edit{readme, "## Why", "## Why\n```\nx\n```"}, readme + ":41: a block of"},
		"a record of fewer runs":   {edit{readme, "runs:\n", "runs:\n  - id: new\n    command: go version\n"}, "steps/01-hello/reference.json: holds 2 runs, and README.md declares 3"},
		"a record of another run":  {edit{readme, "id: plain", "id: other"}, "steps/01-hello/reference.json: run 1 is plain, and README.md declares other there"},
		"another command":          {edit{readme, "./steps/01-hello\n", "./steps/01-hello --day 2026-01-01\n"}, `steps/01-hello/reference.json: run plain was recorded with "go run ./steps/01-hello"`},
		"another exit status":      {edit{readme, "exit: 3", "exit: 2"}, "steps/01-hello/reference.json: run refused ended with exit status 3, and README.md declares 2"},
		"a number that is missing": {edit{readme, "answer: rows", "answer: columns"}, "steps/01-hello/reference.json: has no number columns"},
		"a record from nowhere":    {edit{"steps/01-hello/reference.json", `"os": "`, `"os": "", "arch": "`}, "steps/01-hello/reference.json: "},
		"another schema":           {edit{"steps/01-hello/reference.json", `"schema": 1`, `"schema": 2`}, "steps/01-hello/reference.json: has schema 2"},
		"another module path":      {edit{"steps/01-hello/go.mod", "steps/01-hello", "steps/1-hello"}, "steps/01-hello/go.mod: module is example.com/relevance-lab/steps/1-hello; the convention is"},
		"no replace":               {edit{"steps/01-hello/go.mod", "replace", "// replace"}, "steps/01-hello/go.mod: does not replace example.com/relevance-lab/shared => ../../shared"},
		"a replace elsewhere":      {edit{"steps/01-hello/go.mod", "=> ../../shared", "=> ../shared"}, "steps/01-hello/go.mod: does not replace example.com/relevance-lab/shared => ../../shared"},
		"another module required":  {edit{"steps/01-hello/go.mod", "require ", "require example.com/relevance-lab/gclab v0.0.0\n\nrequire "}, "steps/01-hello/go.mod: does not replace example.com/relevance-lab/gclab => ../../gclab"},
		"a long main.go":           {edit{"steps/01-hello/main.go", "package main", strings.Repeat("//\n", 80) + "package main"}, "steps/01-hello/main.go:121: has 123 lines"},
		"go.work without a module": {edit{"go.work", "\t./steps/01-hello\n", ""}, "go.work: is not what go work use -r . writes (./steps/01-hello is missing); run: make tidy"},
		"go.work with a stranger":  {edit{"go.work", "\t./shared\n", "\t./gone\n\t./shared\n"}, "go.work: is not what go work use -r . writes (./gone is no module)"},
		"go.work out of order":     {edit{"go.work", "\t./shared\n\t./steps/01-hello\n", "\t./steps/01-hello\n\t./shared\n"}, "go.work: is not what go work use -r . writes (order or spacing)"},
		"a module without tests":   {edit{"shared/shared_test.go", "package shared\n", "//go:build never\n\npackage shared\n"}, "shared: is a module without a test"},
	} {
		t.Run(name, func(t *testing.T) {
			root := shaped(t)
			coursetest.Edit(t, root, fault.file, fault.old, fault.new)
			_, problems := linted(t, root)
			require.NotEmpty(t, problems)
			require.Contains(t, strings.Join(problems, "\n"), fault.want)
		})
	}
}

func TestAFileThatIsMissingOrDoesNotBelongIsTold(t *testing.T) {
	for _, file := range []string{"go.mod", "main.go", "README.md", "check_test.go", "reference.json"} {
		t.Run("without "+file, func(t *testing.T) {
			root := shaped(t)
			require.NoError(t, os.Remove(filepath.Join(root, "steps/02-serve", file)))
			_, problems := linted(t, root)
			require.Contains(t, strings.Join(problems, "\n"), "steps/02-serve/"+file+": is ")
		})
	}
	root := shaped(t)
	coursetest.Write(t, root, "steps/02-serve/notes.txt", "x")
	coursetest.Write(t, root, "steps/02-serve/helper/x.go", "package helper\n")
	_, problems := linted(t, root)
	require.Len(t, problems, 2)
	require.Contains(t, problems[0], "steps/02-serve/helper/: does not belong into a step")
	require.Contains(t, problems[1], "steps/02-serve/notes.txt: does not belong into a step")
}

func TestAllFaultsAreToldAtOnceInOrder(t *testing.T) {
	root := shaped(t)
	coursetest.Edit(t, root, "steps/02-serve/README.md", "## Why\n", "")
	coursetest.Edit(t, root, "steps/02-serve/README.md", "minutes: 5", "minutes: 0")
	coursetest.Edit(t, root, "steps/01-hello/go.mod", "steps/01-hello", "x")
	_, problems := linted(t, root)
	require.Len(t, problems, 3)
	require.Contains(t, problems[0], "steps/01-hello/go.mod")
	require.Contains(t, problems[1], "steps/02-serve/README.md:4:")
	require.Contains(t, problems[2], "steps/02-serve/README.md:")
}

func TestTheCheckoutIsLeftAsItWas(t *testing.T) {
	root := shaped(t)
	coursetest.Edit(t, root, "go.work", "\t./shared\n", "")
	before := coursetest.Read(t, root, "go.work")
	_, problems := linted(t, root)
	require.NotEmpty(t, problems)
	require.Equal(t, before, coursetest.Read(t, root, "go.work"))
}
