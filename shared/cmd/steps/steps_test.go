package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/home"
)

func TestTheHelpListsEveryStepAndMarksRecordedRuns(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "results/step-02.json", "{}")
	var out strings.Builder
	require.NoError(t, help(root, home.Home(root), &out))
	require.Contains(t, out.String(), "\nPart 1 · On your laptop\n")
	require.Regexp(t, `\n  \[ \] make step-1 +Hello +5 min\n  \[x\] make step-2 +Serve \| ask +5 min\n`, out.String())
	require.Contains(t, out.String(), "your own run of it is recorded")
}

func TestTheHelpFitsOnANarrowTerminal(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "results/step-02.json", "{}")
	var out strings.Builder
	require.NoError(t, help(root, home.Home(root), &out))
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

func TestAResultOfNoStepMarksNone(t *testing.T) {
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "results/baseline.json", "{}")
	coursetest.Write(t, root, "results/step-27.json", "{}")
	var out strings.Builder
	require.NoError(t, help(root, home.Home(root), &out))
	require.NotContains(t, out.String(), "[x]")
}

func TestAFaultyLessonDoesNotHideTheSteps(t *testing.T) {
	root := coursetest.Checkout(t)
	require.NoError(t, os.Remove(filepath.Join(root, "steps/01-hello/README.md")))
	var out strings.Builder
	require.ErrorContains(t, help(root, home.Home(root), &out), "steps/01-hello/README.md: is missing")
	require.Contains(t, out.String(), "make step-1   (hello; its lesson cannot be read)")
	out.Reset()
	require.NoError(t, locate(root, home.Home(root), "1", &out, io.Discard))
	require.Equal(t, "01-hello\n", out.String())
}

func TestAnUnknownStepIsWrongUseAnsweredWithTheList(t *testing.T) {
	root := coursetest.Checkout(t)
	var out, stderr strings.Builder
	err := locate(root, home.Home(root), "99", &out, &stderr)
	require.Equal(t, cli.ExitUsage, cli.Report(err, &stderr))
	require.Empty(t, out.String())
	require.Regexp(t, `make step-2(.|\n)*\nthere is no step 99; the steps are those above\n$`, stderr.String())
}

func TestEveryCommandOfTheHelpIsATargetOfTheMakefile(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(`(?m)^  make ([a-z-]+)`).FindAllStringSubmatch(commands, -1) {
		require.Regexp(t, `(?m)^`+match[1]+`:`, string(makefile))
	}
}
