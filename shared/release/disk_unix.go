//go:build !windows

package release

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

var (
	diskFull = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
	readOnly = []syscall.Errno{syscall.EROFS}
)

// replaceFile replaces a file by a rename: readers find the old content or the new one. Its temporary file is called
// like the file, with a dot before and digits behind.
func replaceFile(path string, content []byte) error {
	folder := filepath.Dir(path)
	if err := renameio.WriteFile(path, content, 0o644, renameio.WithTempDir(folder)); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder flushes the names in a folder to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// patiently runs an operation. Only on Windows are there failures that pass by themselves.
func patiently(operation func() error) error { return operation() }
