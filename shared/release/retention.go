package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/gofrs/flock"
)

// errInUse says that a build is pinned by a reader.
var errInUse = errors.New("this build is in use; stop the program that reads it and run this again")

// Prune removes the builds that are not among the last Kept published, are not live and are not pinned, and folders
// with the name of a build whose manifest cannot be read. It returns the names of what it removed.
func (p *Publisher) Prune() (removed []string, err error) {
	live, err := p.dir.pointer()
	if err != nil {
		return nil, err
	}
	builds, err := p.dir.Builds()
	if err != nil {
		return nil, err
	}
	keep := []string{live.Build}
	for _, build := range builds[:min(Kept, len(builds))] {
		keep = append(keep, build.Build)
	}
	names, err := p.dir.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if slices.Contains(keep, name) {
			continue
		}
		switch err := p.dir.remove(name); {
		case err == nil:
			removed = append(removed, name)
		case !errors.Is(err, errInUse):
			return removed, fmt.Errorf("remove the old build %s: %w", name, err)
		}
	}
	return removed, nil
}

// remove removes a build unless a reader has pinned it. The folder is renamed first, so that a kill in between leaves
// no half of a build under the name of a build.
//
// The exclusive lock keeps readers out until the rename. On Windows a folder with an open file in it cannot be
// renamed; there the lock has to go first, and a reader who comes in between makes the rename fail, which says the
// same: the build is in use.
func (d Dir) remove(build string) (err error) {
	folder := d.folder(build)
	if _, err := os.Stat(folder); err != nil {
		return err
	}
	path := filepath.Join(folder, ManifestFile)
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := false, regular(path)
	if err == nil {
		locked, err = lock.TryLock()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotRegular): // without a manifest it cannot be pinned
	case err != nil:
		return d.Explain(err)
	case !locked:
		return errInUse
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if runtime.GOOS == "windows" {
		if err := lock.Unlock(); err != nil {
			return err
		}
	}
	aside := filepath.Join(d.versions(), temporaryPrefix+"removed-"+build)
	if err := rename(folder, aside); err != nil {
		if runtime.GOOS == "windows" {
			return errors.Join(errInUse, err)
		}
		return d.Explain(err)
	}
	if err := removeAll(aside); err != nil {
		return d.Explain(err)
	}
	return nil
}
