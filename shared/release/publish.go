package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// temporaryPrefix begins the name of every folder beside the builds that is not a build: one that is being written or
// removed.
const temporaryPrefix = ".tmp-"

// Publisher is the one publisher at work in a data folder.
type Publisher struct {
	dir   Dir
	lock  *flock.Flock
	note  note
	stage string // the temporary folder; empty when there is none
}

// Lock makes the caller the publisher, creating the data folder where it is missing, and removes what a killed
// publisher left behind. It does not wait: while another publisher is at work it fails with ErrLocked. The lock ends
// with the process, however that ends.
func (d Dir) Lock() (*Publisher, error) {
	if err := d.prepare(); err != nil {
		return nil, err
	}
	lock, err := d.acquire()
	if err != nil {
		return nil, err
	}
	p := &Publisher{dir: d, lock: lock, note: note{PID: os.Getpid(), Since: time.Now().UTC()}}
	err = d.sweep()
	if err == nil {
		err = d.writeNote(p.note)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return p, nil
}

// Close ends the publisher's work and removes a stage that was not committed.
func (p *Publisher) Close() error {
	err := p.discard()
	_ = p.dir.writeNote(note{}) // without the lock nobody believes the note; the next publisher writes its own
	return errors.Join(err, p.lock.Unlock())
}

// Stage makes an empty temporary folder for the files of the next build and returns its path. Put ScoresFile and
// FilterFile into it and call Commit.
func (p *Publisher) Stage() (string, error) {
	if err := p.discard(); err != nil {
		return "", err
	}
	stage, err := os.MkdirTemp(p.dir.versions(), temporaryPrefix)
	if err != nil {
		return "", p.dir.Explain(err)
	}
	p.stage = stage
	if err := os.Chmod(stage, 0o755); err != nil { // MkdirTemp's 0700 would keep other readers out
		return "", p.dir.Explain(err)
	}
	return stage, nil
}

func (p *Publisher) discard() error {
	if p.stage == "" {
		return nil
	}
	if err := removeAll(p.stage); err != nil {
		return p.dir.Explain(err)
	}
	p.stage = ""
	return nil
}

// Find returns the stored build that holds the content that m describes, whose files have been checked. From m it
// needs Day, Rows, Threshold, Seed, World and Content. A damaged build is not found; one that cannot be read just now is
// an error, so that nobody takes it for damaged and replaces it.
func (p *Publisher) Find(m Manifest) (stored Manifest, found bool, err error) {
	m.Schema = Schema
	stored, err = p.dir.manifest(m.BuildName())
	if err == nil && stored.sameContent(m) {
		err = p.dir.verify(stored)
	}
	switch {
	case errors.Is(err, ErrDamaged):
		return Manifest{}, false, nil
	case err != nil:
		return Manifest{}, false, err
	}
	return stored, stored.sameContent(m), nil
}

// Point makes a stored build the live one.
func (p *Publisher) Point(m Manifest) error { return p.dir.point(m) }

// Commit publishes the staged files as the build that m describes and makes it the live one. It fills in Schema,
// Build, Files and PublishedAt and returns the whole manifest. After an error the live version is what it was before.
// A build that is stored already is never overwritten while it is whole: Commit then keeps it and points at it.
func (p *Publisher) Commit(m Manifest) (Manifest, error) {
	if p.stage == "" {
		return Manifest{}, errors.New("commit without a stage")
	}
	stored, found, err := p.Find(m)
	if err != nil {
		return Manifest{}, err
	}
	if found {
		return stored, errors.Join(p.discard(), p.Point(stored))
	}
	if m, err = p.seal(m); err != nil {
		return Manifest{}, p.dir.Explain(err)
	}
	if err := p.place(m); err != nil {
		return Manifest{}, p.dir.Explain(err)
	}
	if err := p.Point(m); err != nil {
		return Manifest{}, errors.Join(err, p.dir.withdraw(m.Build))
	}
	return m, nil
}

// seal completes the manifest, writes it beside the staged files and flushes all of them to the disk.
func (p *Publisher) seal(m Manifest) (Manifest, error) {
	var err error
	if m.PublishedAt, err = p.dir.nextInstant(); err != nil {
		return m, err
	}
	m.Schema = Schema
	m.Build = m.BuildName()
	m.Files = map[string]File{}
	for _, name := range []string{ScoresFile, FilterFile} {
		path := filepath.Join(p.stage, name)
		if m.Files[name], err = fileOf(path); err != nil {
			return m, err
		}
		if err := syncFile(path); err != nil {
			return m, err
		}
	}
	if err := m.check(); err != nil {
		return m, fmt.Errorf("refusing to publish an incomplete manifest: %w", err)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	path := filepath.Join(p.stage, ManifestFile)
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return m, err
	}
	return m, errors.Join(syncFile(path), syncFolder(p.stage))
}

// place renames the stage to its build. First it notes which build is about to appear: when the publisher is killed
// before current.json names it, the next one finds the note and removes the build.
func (p *Publisher) place(m Manifest) error {
	p.note.Building = m.Build
	if err := p.dir.writeNote(p.note); err != nil {
		return err
	}
	if err := p.dir.remove(m.Build); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace a damaged build: %w", err)
	}
	if err := rename(p.stage, p.dir.folder(m.Build)); err != nil {
		return err
	}
	p.stage = ""
	return syncFolder(p.dir.versions())
}

// nextInstant returns the time, or, when the clock was set back, an instant after the last publish: the order of the
// builds must not depend on the clock.
func (d Dir) nextInstant() (time.Time, error) {
	now := time.Now().UTC()
	builds, err := d.Builds()
	if err != nil || len(builds) == 0 {
		return now, err
	}
	if last := builds[0].PublishedAt; !now.After(last) {
		now = last.Add(time.Microsecond)
	}
	return now, nil
}
