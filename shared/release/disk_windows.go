package release

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

var (
	diskFull = []syscall.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
	readOnly = []syscall.Errno{windows.ERROR_WRITE_PROTECT}
)

// replaceFile replaces a file by a rename: readers find the old content or the new one. Its temporary file is called
// like the file, with a dot before and digits behind.
func replaceFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return rename(file.Name(), path)
}

// syncFolder does nothing: Windows cannot flush a folder.
func syncFolder(string) error { return nil }

// patiently runs an operation again, for up to two seconds, while it fails because someone else has the file open: a
// reader that will be done in a moment, or a virus scanner that looks at every new file.
func patiently(operation func() error) error {
	passing := []syscall.Errno{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION, windows.ERROR_ACCESS_DENIED}
	deadline := time.Now().Add(2 * time.Second)
	for {
		err := operation()
		if err == nil || time.Now().After(deadline) ||
			!slices.ContainsFunc(passing, func(cause syscall.Errno) bool { return errors.Is(err, cause) }) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
