package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is in the chain of the error that Lock returns while another publisher is at work.
var ErrLocked = errors.New("another publisher is at work")

const lockFile = "publish.lock"

// The lock file tells a person who holds the lock, and the next publisher what a killed one was about to do. On
// Windows the locked first byte cannot be read or written through another handle, so the note begins at the second
// one. It has a fixed length, padded with spaces, because a lock file cannot be cut short there either.
const (
	noteOffset = 1
	noteBytes  = 255
)

// note is what the lock file says while a publisher works.
type note struct {
	PID      int       `json:"pid"`
	Since    time.Time `json:"since"`
	Building string    `json:"building,omitempty"` // the build that is complete and not yet live
}

// acquire takes the publisher's lock, or fails at once.
func (d Dir) acquire() (*flock.Flock, error) {
	path := filepath.Join(d.data, lockFile)
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, d.Explain(fmt.Errorf("lock %s: %w", path, err))
	case !locked:
		return nil, fmt.Errorf("%w%s in %s; wait until it has ended, or stop it, and run this again",
			ErrLocked, d.readNote().who(), d.data)
	}
	return lock, nil
}

func (n note) who() string {
	if n.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d, since %s)", n.PID, n.Since.Local().Format(time.TimeOnly))
}

// readNote returns the note, or an empty one when there is none.
func (d Dir) readNote() note {
	file, err := os.Open(filepath.Join(d.data, lockFile))
	if err != nil {
		return note{}
	}
	defer file.Close()
	text := make([]byte, noteBytes)
	count, _ := file.ReadAt(text, noteOffset)
	var found note
	if json.Unmarshal(bytes.TrimSpace(text[:count]), &found) != nil {
		return note{}
	}
	return found
}

// writeNote replaces the note; an empty one leaves only spaces.
func (d Dir) writeNote(n note) error {
	text := []byte{}
	if n.PID != 0 {
		var err error
		if text, err = json.Marshal(n); err != nil {
			return err
		}
	}
	padded := append(bytes.Repeat([]byte{' '}, noteBytes-1), '\n')
	copy(padded, text)
	file, err := os.OpenFile(filepath.Join(d.data, lockFile), os.O_WRONLY, 0)
	if err != nil {
		return d.Explain(err)
	}
	_, err = file.WriteAt(padded, noteOffset)
	if err = errors.Join(err, file.Close()); err != nil {
		return d.Explain(err)
	}
	return nil
}

// prepare makes the folders that a publisher needs.
func (d Dir) prepare() error {
	if err := os.MkdirAll(d.versions(), 0o755); err != nil {
		return d.Explain(err)
	}
	return nil
}

// sweep removes what a killed publisher left: temporary folders and files, and a build that was complete but had not
// become live, for nobody has seen it. It is called with the lock held, so nobody is working on any of them.
func (d Dir) sweep() error {
	strays := []struct{ folder, prefix string }{{d.versions(), temporaryPrefix}, {d.data, "." + pointerFile}}
	for _, stray := range strays {
		entries, err := os.ReadDir(stray.folder)
		if err != nil {
			return d.Explain(err)
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), stray.prefix) {
				continue
			}
			if err := removeAll(filepath.Join(stray.folder, entry.Name())); err != nil {
				return d.Explain(err)
			}
		}
	}
	return d.withdraw(d.readNote().Building)
}

// withdraw removes a build unless it is the live one. Nothing is removed while the live one cannot be told.
func (d Dir) withdraw(build string) error {
	if !isBuildName(build) {
		return nil
	}
	live, err := d.pointer()
	switch {
	case err != nil && !errors.Is(err, ErrNoVersion):
		return nil
	case live.Build == build:
		return nil
	}
	if err := d.remove(build); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
