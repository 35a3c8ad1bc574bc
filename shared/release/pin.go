package release

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Build is a build in use. As long as it is not closed, no publisher removes it, in this process or in another.
type Build struct {
	Manifest Manifest
	folder   string
	lock     *flock.Flock
}

// Pin opens the live build for reading: it is pinned against removal first, and then every file's size and SHA-256
// are compared with the manifest. A damaged file is refused with an error that names it and has ErrDamaged in its
// chain. Reading needs no right to write.
func (d Dir) Pin() (*Build, error) {
	var err error
	for attempt := range pinAttempts {
		var live pointer
		if live, err = d.pointer(); err != nil {
			return nil, err
		}
		var build *Build
		if build, err = d.pin(live.Build); err == nil {
			return build, nil
		}
		moving := errors.Is(err, errBusy) || errors.Is(err, fs.ErrNotExist) && attempt < 3
		if now, unread := d.pointer(); !moving && unread == nil && now == live {
			return nil, err
		}
		time.Sleep(pinPause) // current.json has moved on, or is about to
	}
	return nil, err
}

// Between reading current.json and pinning, the build may be replaced and then removed. It takes three publishes to
// get there, so one more attempt is nearly always enough.
const (
	pinAttempts = 100
	pinPause    = 10 * time.Millisecond
)

// errBusy says that a publisher holds the build exclusively: it is removing it.
var errBusy = errors.New("a publisher is removing this build; try again")

func (d Dir) pin(name string) (*Build, error) {
	lock, err := d.share(name)
	if err != nil {
		return nil, err
	}
	manifest, err := d.manifest(name)
	if err == nil {
		err = d.verify(manifest)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return &Build{Manifest: manifest, folder: d.folder(name), lock: lock}, nil
}

// share takes a shared lock on the manifest of a build and makes sure that it is still the one at that path.
func (d Dir) share(name string) (*flock.Flock, error) {
	path := filepath.Join(d.folder(name), ManifestFile)
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := false, regular(path)
	if err == nil {
		locked, err = lock.TryRLock()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotRegular):
		return nil, damaged(path, err)
	case err != nil:
		return nil, d.Explain(fmt.Errorf("pin build %s: %w", name, err))
	case !locked:
		return nil, errBusy
	}
	mine, err := lock.Stat()
	if err == nil {
		var now os.FileInfo
		if now, err = os.Stat(path); err == nil && os.SameFile(mine, now) {
			return lock, nil
		}
	}
	return nil, errors.Join(errBusy, err, lock.Unlock())
}

// Path returns the path of a file of the build.
func (b *Build) Path(file string) string { return filepath.Join(b.folder, file) }

// Close unpins the build. Closing it again does nothing.
func (b *Build) Close() error { return b.lock.Unlock() }

// verify compares every file of a build with its manifest.
func (d Dir) verify(m Manifest) error {
	for _, name := range []string{FilterFile, ScoresFile} {
		path := filepath.Join(d.folder(m.Build), name)
		err := matches(path, m.Files[name])
		switch {
		case errors.Is(err, errMismatch), errors.Is(err, fs.ErrNotExist):
			return damaged(path, err)
		case err != nil:
			return d.Explain(err)
		}
	}
	return nil
}

var errMismatch = errors.New("it is not the file that was published")

// matches looks at the size first, so that a file of the wrong size costs nothing to refuse.
func matches(path string, want File) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != want.Bytes {
		return fmt.Errorf("%w: %d bytes instead of %d", errMismatch, info.Size(), want.Bytes)
	}
	file, err := fileOf(path)
	if err == nil && file != want {
		err = fmt.Errorf("%w: its SHA-256 differs from the manifest's", errMismatch)
	}
	return err
}

// fileOf measures a file.
func fileOf(path string) (File, error) {
	file, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, file)
	if err != nil {
		return File{}, err
	}
	return File{Bytes: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}
