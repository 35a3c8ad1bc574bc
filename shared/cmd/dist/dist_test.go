package main

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course/coursetest"
)

// strewn is a checkout with what runs, builds and editors leave in it.
func strewn(t *testing.T) (root string) {
	t.Helper()
	root = coursetest.Checkout(t)
	for _, file := range []string{"data/current.json", "results/step-01.json", "dist/old.zip", "bin/tool", "site/public/index.html",
		".tools/x/go.mod", "shared/shared.test", "steps/.DS_Store", "steps/01-hello/solution/main.go"} {
		coursetest.Write(t, root, file, "made")
	}
	coursetest.Write(t, root, ".ci/run", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(root, ".ci/run"), 0o755))
	return root
}

func packed(t *testing.T, root string) (content []byte, files map[string]*zip.File) {
	t.Helper()
	require.NoError(t, pack(t.Context(), root, io.Discard))
	path := filepath.Join(root, "dist/relevance-lab.zip")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	t.Cleanup(func() { archive.Close() })
	files = map[string]*zip.File{}
	for _, file := range archive.File {
		files[file.Name] = file
	}
	return content, files
}

func gitCheckout(t *testing.T) (root string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here")
	}
	root = strewn(t)
	coursetest.Write(t, root, ".gitignore", "/data/\n/results/\n/dist/\n/bin/\n/.tools/\n/site/public/\n*.test\n.DS_Store\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		output, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput()
		require.NoError(t, err, string(output))
	}
	coursetest.Write(t, root, "scratch.txt", "not tracked")
	return root
}

func TestTheZipHoldsTheTrackedFilesBelowOneFolder(t *testing.T) {
	_, files := packed(t, gitCheckout(t))
	require.Contains(t, files, "relevance-lab/go.work")
	require.Contains(t, files, "relevance-lab/steps/01-hello/main.go")
	require.Contains(t, files, "relevance-lab/.gitignore")
	require.NotContains(t, files, "relevance-lab/scratch.txt")
	require.NotContains(t, files, "relevance-lab/steps/01-hello/solution/main.go")
	require.Len(t, files, 15)
	require.Equal(t, os.FileMode(0o644), files["relevance-lab/go.work"].Mode())
	if runtime.GOOS != "windows" {
		require.Equal(t, os.FileMode(0o755), files["relevance-lab/.ci/run"].Mode())
	}
}

func TestWithoutGitTheZipHoldsTheSameFiles(t *testing.T) {
	root := gitCheckout(t)
	want, _ := packed(t, root)
	require.NoError(t, os.RemoveAll(filepath.Join(root, ".git")))
	require.NoError(t, os.Remove(filepath.Join(root, "scratch.txt")))
	got, _ := packed(t, root)
	if runtime.GOOS != "windows" { // where only git knows which files are executable
		require.Equal(t, want, got)
	}
}

func TestTheSameFilesGiveTheSameBytes(t *testing.T) {
	root := strewn(t)
	first, _ := packed(t, root)
	past := time.Now().Add(-1000 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(root, "go.work"), past, past))
	second, _ := packed(t, root)
	require.Equal(t, first, second)
	coursetest.Edit(t, root, "go.work", "go 1.26.0", "go 1.26.1")
	third, _ := packed(t, root)
	require.NotEqual(t, first, third)
}

func TestWhatIsUnpackedRuns(t *testing.T) {
	_, files := packed(t, strewn(t))
	to := t.TempDir()
	for name, file := range files {
		reader, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(reader)
		require.NoError(t, err)
		coursetest.Write(t, to, name, string(text))
	}
	command := exec.Command("go", "run", "./steps/01-hello")
	command.Dir = filepath.Join(to, "relevance-lab")
	command.Env = append(os.Environ(), "GOWORK=", "LAB_HOME="+to, "GOFLAGS=-trimpath -buildvcs=false")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Contains(t, string(output), "wrote 276536 rows")
}

func TestATrackedFileThatIsGoneIsTold(t *testing.T) {
	root := gitCheckout(t)
	require.NoError(t, os.Remove(filepath.Join(root, "shared/shared.go")))
	err := pack(t.Context(), root, io.Discard)
	require.ErrorContains(t, err, "pack shared/shared.go: ")
}
