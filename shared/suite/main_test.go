package suite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/suite"
)

func TestMain(m *testing.M) {
	proc.Dispatch(suite.Role())
	os.Exit(m.Run())
}

// step is step 01 of a small checkout, with check as its check_test.go.
func step(t *testing.T, check string) course.Step {
	t.Helper()
	root := coursetest.Checkout(t)
	t.Chdir(root)
	t.Setenv("GOWORK", filepath.Join(root, "go.work"))
	t.Setenv("LAB_HOME", "")
	coursetest.Write(t, root, "steps/01-hello/check_test.go", check)
	steps, err := suite.Choose(root, "1", 3, "")
	require.NoError(t, err)
	require.Len(t, steps, 1)
	return steps[0]
}
