package suite_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/suite"
)

// judging has a check that judges a recorded run, here by a stand-in with the name of the real function, one that does
// so through a function beside it, and one that runs the program.
const judging = `package main

import (
	"os"
	"testing"
)

var check recorder

type recorder struct{}

func (recorder) Recorded(t *testing.T) string {
	text, err := os.ReadFile(os.Getenv("LAB_HOME") + "/results/step-01.json")
	if err != nil || os.Getenv("LAB_CHECK") != "recorded" {
		t.Fatal("no recorded run", err)
	}
	return string(text)
}

func TestTheRunHasRows(t *testing.T) {
	if check.Recorded(t) != "rows" {
		t.Fatal("it has no rows")
	}
}
func TestTheRunIsOneOfThisMachine(t *testing.T) { run(t) }
func TestTheProgramRuns(t *testing.T)            { t.Fatal("nobody asked for that") }

func run(t *testing.T) string { return check.Recorded(t) }
`

func TestTheReadersOwnRunIsJudgedAndNoProgramIsRun(t *testing.T) {
	one := step(t, judging)
	judge := func() suite.Result {
		t.Helper()
		result, err := suite.Judge(t.Context(), one)
		require.NoError(t, err)
		return result
	}
	open := judge()
	require.Equal(t, "no recorded run yet; make one with: go run ./steps/01-hello", open.Open)
	require.True(t, suite.Results{open}.Err() != nil, "nothing judged is no success")

	coursetest.Write(t, ".", "results/step-01.json", "rows")
	good := judge()
	require.Equal(t, 2, good.Passed, "%v", good)
	require.NoError(t, suite.Results{open, good}.Err(), "a step that was not run yet is no failure")

	coursetest.Write(t, ".", "results/step-01.json", "nothing")
	bad := judge()
	require.Equal(t, 1, bad.Passed)
	said := suite.Failure{Sentence: "The run has rows", Message: "check_test.go:22: it has no rows"}
	require.Equal(t, []suite.Failure{said}, bad.Failures)
	require.ErrorContains(t, suite.Results{bad, good}.Err(), "1 check failed")
}

func TestAStepWithoutAJudgeSaysSo(t *testing.T) {
	result, err := suite.Judge(t.Context(), step(t, mixed))
	require.NoError(t, err)
	require.Equal(t, "none of its checks judges a recorded run", result.Open)

	result, err = suite.Judge(t.Context(), step(t, "package main\n\nfunc Test("))
	require.NoError(t, err)
	require.NotEmpty(t, result.Open+result.Broken)
}

func TestTheStepsOfThePartsAreChosenWithoutTheOneThatRunsThem(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "steps/03-later/README.md", "---\ntitle: Later\npart: 4\n---\n")
	chosen := func(only string, lastPart int, self string) string {
		t.Helper()
		steps, err := suite.Choose(root, only, lastPart, self)
		require.NoError(t, err)
		return course.Folders(steps)
	}
	require.Equal(t, "01-hello, 02-serve", chosen("", 3, "12-checks"))
	require.Equal(t, "02-serve", chosen("", 3, "01-hello"))
	require.Equal(t, "01-hello, 02-serve", chosen("serve, 1,01-hello", 3, ""))
	for _, wrong := range []string{"9", "03-later", "1,,2", "01-hello"} {
		_, err := suite.Choose(root, wrong, 3, "01-hello")
		require.Equal(t, cli.ExitUsage, cli.Report(err, t.Output()), wrong)
		require.ErrorContains(t, err, "02-serve")
	}
	t.Run("and a lesson that cannot be read hides none", func(t *testing.T) {
		coursetest.Write(t, root, "steps/02-serve/README.md", "no front matter")
		require.Equal(t, "01-hello, 02-serve", chosen("", 3, ""))
	})
}
