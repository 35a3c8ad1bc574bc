package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
)

func recorded(t *testing.T) (root string) {
	t.Helper()
	root = coursetest.Checkout(t)
	c, err := course.Read(root)
	require.NoError(t, err)
	for _, step := range c.Steps {
		reference := course.Reference{Schema: course.ReferenceSchema, Numbers: map[string]float64{"rows": 5}}
		for _, run := range step.Runs {
			reference.Runs = append(reference.Runs, course.Recorded{ID: run.ID, Command: run.Command, Output: "x\n"})
		}
		require.NoError(t, reference.Save(step))
	}
	return root
}

func TestStalePagesFailTheCheckAreWrittenAndThenPassIt(t *testing.T) {
	root := recorded(t)
	pages, err := woven(root, "")
	require.NoError(t, err)
	err = fresh(pages, io.Discard)
	require.ErrorContains(t, err, "README.md:3: what stands here is not what its source says; run: make weave")
	require.ErrorContains(t, err, "steps/01-hello/README.md:30: what stands here")
	require.NotContains(t, coursetest.Read(t, root, "README.md"), "01-hello", "a check writes nothing")

	var out strings.Builder
	require.NoError(t, save(pages, &out))
	require.Equal(t, "wove README.md\nwove steps/01-hello/README.md\nwove steps/02-serve/README.md\n", out.String())

	out.Reset()
	pages, err = woven(root, "")
	require.NoError(t, err)
	require.NoError(t, fresh(pages, &out))
	require.Equal(t, "weave: 3 pages are what their sources say\n", out.String())
	left, err := filepath.Glob(filepath.Join(root, "steps/01-hello/.*"))
	require.NoError(t, err)
	require.Empty(t, left, "no temporary file stays")
}

func TestOneStepCanBeWovenWhileOthersAreFaulty(t *testing.T) {
	root := recorded(t)
	require.NoError(t, os.Remove(filepath.Join(root, "steps/02-serve/README.md")))
	_, err := woven(root, "")
	require.ErrorContains(t, err, "steps/02-serve/README.md: is missing")
	pages, err := woven(root, "1")
	require.NoError(t, err)
	require.Len(t, pages, 1)
	_, err = woven(root, "2")
	require.ErrorContains(t, err, "is missing")
	_, err = woven(root, "3")
	require.ErrorContains(t, err, "there is no step 3")
}
