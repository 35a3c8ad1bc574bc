package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/release"
)

func yes(string) (bool, error) { return true, nil }

// used is a folder in which the lab has run, beside a file of the person.
func used(t *testing.T) home.Home {
	t.Helper()
	root := t.TempDir()
	coursetest.Write(t, root, "data/versions/2026-10-30-3f9c2a1b/scores.db", strings.Repeat("x", 3000))
	coursetest.Write(t, root, "data/versions/.building-7/scores.db", "x")
	coursetest.Write(t, root, "data/current.json", "{}")
	coursetest.Write(t, root, "data/.current.json123", "{}")
	coursetest.Write(t, root, "data/publish.lock", "")
	coursetest.Write(t, root, "results/step-06.json", "{}")
	coursetest.Write(t, root, "results/baseline.json", "{}")
	coursetest.Write(t, root, "results/.baseline.json-123", "{")
	coursetest.Write(t, root, "notes.txt", "mine")
	return home.Home(root)
}

func names(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestResetRemovesDataAndResultsAndNothingElse(t *testing.T) {
	where := used(t)
	var asked string
	var out strings.Builder
	require.NoError(t, reset(where, func(question string) (bool, error) { asked = question; return true, nil }, &out))
	require.Equal(t, []string{"notes.txt"}, names(t, string(where)))
	require.Contains(t, asked, where.Data())
	require.Contains(t, asked, where.Results())
	require.Contains(t, asked, "(2.9 KiB)?")
	require.Contains(t, out.String(), "freed 2.9 KiB")
}

func TestWithoutAYesNothingIsRemoved(t *testing.T) {
	where := used(t)
	var out strings.Builder
	require.NoError(t, reset(where, func(string) (bool, error) { return false, nil }, &out))
	require.Equal(t, "nothing was removed\n", out.String())
	require.Len(t, names(t, string(where)), 3)
}

func TestWithoutATerminalResetRefusesToAsk(t *testing.T) {
	stdin := os.Stdin
	t.Cleanup(func() { os.Stdin = stdin })
	empty, err := os.Open(os.DevNull)
	require.NoError(t, err)
	t.Cleanup(func() { empty.Close() })
	os.Stdin = empty
	where := used(t)
	err = reset(where, askPerson, &strings.Builder{})
	require.ErrorContains(t, err, "make reset YES=1")
	require.Equal(t, cli.ExitUsage, cli.Report(err, &strings.Builder{}))
	require.Len(t, names(t, string(where)), 3)
}

func TestAFolderThatHoldsSomethingElseIsNotOurs(t *testing.T) {
	for _, file := range []string{"data/photo.jpg", "data/versions/mine/x", "data/versions/2026-10-30-3f9c2a1b/deep/x", "results/thesis.tex", "results/step-06/x"} {
		t.Run(file, func(t *testing.T) {
			where := used(t)
			coursetest.Write(t, string(where), file, "mine")
			err := reset(where, yes, &strings.Builder{})
			require.ErrorContains(t, err, "is nothing that the lab made; nothing was removed")
			require.FileExists(t, filepath.Join(string(where), "data/current.json"))
			require.FileExists(t, filepath.Join(string(where), "results/step-06.json"))
		})
	}
	where := home.Home(t.TempDir())
	coursetest.Write(t, string(where), "data", "a file")
	require.ErrorContains(t, reset(where, yes, &strings.Builder{}), "is not a folder that the lab made")
}

func TestResetWaitsForAPublisher(t *testing.T) {
	where := used(t)
	publisher, err := release.At(where.Data()).Lock()
	require.NoError(t, err)
	err = reset(where, yes, &strings.Builder{})
	require.ErrorIs(t, err, release.ErrLocked)
	require.ErrorContains(t, err, "nothing was removed")
	require.FileExists(t, filepath.Join(string(where), "results/step-06.json"))
	require.NoError(t, publisher.Close())
	require.NoError(t, reset(where, yes, &strings.Builder{}))
}

func TestThereMayBeNothingToRemove(t *testing.T) {
	var out strings.Builder
	require.NoError(t, reset(home.Home(t.TempDir()), func(string) (bool, error) { panic("asked") }, &out))
	require.Contains(t, out.String(), "nothing to remove")
}
