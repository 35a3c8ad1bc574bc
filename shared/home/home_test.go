package home_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/relevance-lab/shared/home"
	"github.com/stretchr/testify/require"
)

func TestTheCheckoutIsFoundFromAnyFolderInIt(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	deep := filepath.Join(root, "steps", "01-batch", "deep")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.work"), nil, 0o644))
	t.Setenv(home.Variable, "")
	t.Chdir(deep)

	found, err := home.Find()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, "data"), found.Data())
	require.Equal(t, filepath.Join(root, "results"), found.Results())
}

func TestTheVariableMovesDataAndResultsButNotTheCheckout(t *testing.T) {
	elsewhere := t.TempDir()
	t.Setenv(home.Variable, elsewhere)
	found, err := home.Find()
	require.NoError(t, err)
	require.Equal(t, home.Home(elsewhere), found)

	root, err := home.Checkout()
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "go.work"))
}

func TestOutsideOfACheckoutTheErrorSaysWhatToSet(t *testing.T) {
	t.Setenv(home.Variable, "")
	t.Chdir(t.TempDir())
	_, err := home.Find()
	require.ErrorContains(t, err, "set LAB_HOME")
}
