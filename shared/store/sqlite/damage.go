package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrDamaged is wrapped by every error about a file that is not the database it should be.
var ErrDamaged = errors.New("damaged database file")

const remedy = "publish this day again with: go run ./steps/01-batch --day ..."

// SQLite's file format begins with this text; the page size and the number of pages follow.
// Source: https://www.sqlite.org/fileformat2.html, section 1.3.
const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
)

// checkFile finds what can be found without SQLite: a missing file, another kind of file, a file cut short.
func checkFile(path string) error {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("no database file %s; %s: %w", path, remedy, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("open database file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open database file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return damaged(path, errors.New("it is not a file"))
	}
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(file, header); err != nil {
		return damaged(path, fmt.Errorf("it has only %d bytes", info.Size()))
	}
	if string(header[:len(magic)]) != magic {
		return damaged(path, errors.New("it is not an SQLite file"))
	}
	pageSize := int64(binary.BigEndian.Uint16(header[16:]))
	if pageSize == 1 {
		pageSize = 65536
	}
	want := pageSize * int64(binary.BigEndian.Uint32(header[28:]))
	if info.Size() != want {
		return damaged(path, fmt.Errorf("it has %d bytes and its header says %d", info.Size(), want))
	}
	return nil
}

func damaged(path string, cause error) error {
	return fmt.Errorf("%w %s: %w; %s", ErrDamaged, path, cause, remedy)
}
