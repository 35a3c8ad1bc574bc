package release

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// Explain adds to an error from reading or writing below the data folder what a person can do about it. Other errors,
// and those that were explained already, come back as they are.
func (d Dir) Explain(err error) error {
	var known explained
	if err == nil || errors.As(err, &known) {
		return err
	}
	switch {
	case isAny(err, diskFull) || strings.Contains(err.Error(), "disk is full"): // the second is SQLite's wording
		return explained{fmt.Errorf("the disk is full: %w; free some space for %s and run this again", err, d.data)}
	case isAny(err, readOnly):
		return explained{fmt.Errorf("the data folder cannot be written: %w; "+
			"make %s writable, or set LAB_HOME to a folder that is", err, d.data)}
	case errors.Is(err, fs.ErrPermission):
		return explained{fmt.Errorf("not allowed: %w; make %s yours, or set LAB_HOME to a folder that is", err, d.data)}
	case errors.Is(err, syscall.ENOTDIR):
		return explained{fmt.Errorf("not a folder: %w; move that file away, or set LAB_HOME to another folder", err)}
	}
	return err
}

type explained struct{ error }

func (e explained) Unwrap() error { return e.error }

func isAny(err error, causes []syscall.Errno) bool {
	return slices.ContainsFunc(causes, func(cause syscall.Errno) bool { return errors.Is(err, cause) })
}
