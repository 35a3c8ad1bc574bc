// Package coursetest makes small checkouts for tests of what reads, runs, weaves and judges steps: a workspace with a
// shared module and two steps whose programs use the standard library only, so that they build in a moment and offline.
//
// Step 01-hello prints a few lines and records numbers. Step 02-serve is a server, and the client that asks it.
package coursetest

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed all:checkout
var checkout embed.FS

// suffix keeps the go command from taking the files for code of this module.
const suffix = ".txt"

// Checkout writes the checkout into a folder of the test and returns its root.
func Checkout(t testing.TB) (root string) {
	t.Helper()
	root = t.TempDir()
	err := fs.WalkDir(checkout, "checkout", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := checkout.ReadFile(path)
		if err != nil {
			return err
		}
		Write(t, root, strings.TrimSuffix(strings.TrimPrefix(path, "checkout/"), suffix), string(text))
		return nil
	})
	require.NoError(t, err)
	return root
}

// Write writes a file of the checkout, with the folders that it needs.
func Write(t testing.TB, root, file, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(file))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// Read returns the text of a file of the checkout.
func Read(t testing.TB, root, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	require.NoError(t, err)
	return string(text)
}

// Edit replaces old, which must be there, with new in a file of the checkout.
func Edit(t testing.TB, root, file, old, new string) {
	t.Helper()
	text := Read(t, root, file)
	require.Contains(t, text, old, "nothing to edit in %s", file)
	Write(t, root, file, strings.Replace(text, old, new, 1))
}
