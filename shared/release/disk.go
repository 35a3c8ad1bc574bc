package release

import (
	"errors"
	"io"
	"os"
)

// sizeLimit bounds what is read of a JSON file, in bytes.
const sizeLimit = 1 << 16

// readSmall reads a file of a few hundred bytes. Of a longer one it returns the beginning, which then does not parse.
func readSmall(path string) ([]byte, error) {
	var content []byte
	err := patiently(func() error {
		if err := regular(path); err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		content, err = io.ReadAll(io.LimitReader(file, sizeLimit))
		return err
	})
	return content, err
}

// errNotRegular refuses what only has the name of a file.
var errNotRegular = errors.New("it is not a regular file")

// regular is asked before a file is opened: opening a named pipe would wait for its writer, perhaps for ever.
func regular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}

// syncFile flushes a file to the disk, whoever wrote it.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func rename(from, to string) error { return patiently(func() error { return os.Rename(from, to) }) }

func removeAll(path string) error { return patiently(func() error { return os.RemoveAll(path) }) }
