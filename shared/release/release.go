// Package release keeps the published versions of one data folder. A version is published whole or not at all.
//
//	data/versions/2026-10-30-3f9c2a1b/   one build: scores.db, bloom.bin and manifest.json; never changed again
//	data/current.json                    the live day and build
//	data/publish.lock                    held by the one publisher at work
//
// A build is written in a temporary folder beside the others, flushed to the disk and renamed; current.json is
// replaced last, by a rename too. Whoever reads current.json therefore finds a complete build, and a publisher that is
// killed at any instant leaves the live version untouched and, at worst, a temporary folder that the next publisher
// removes. A build's name is its day and the head of a checksum of its content, so publishing identical content again
// has nothing to write, and other content of the same day becomes another build beside the first.
//
// Readers pin the build that they use: a shared lock on its manifest. Retention keeps the three builds that were
// published last and the live one, and never removes a pinned one. Every file is checked against its SHA-256 when a
// build is pinned.
//
// The package does not judge what is published; the gate in package batch does. It does not guard against a person
// who edits a build's files while it is in use.
package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a build.
const (
	ScoresFile   = "scores.db"
	FilterFile   = "bloom.bin"
	ManifestFile = "manifest.json"
)

// Kept is the number of builds that stay after a publish.
const Kept = 3

// ErrNoVersion says that nothing has been published in this data folder.
var ErrNoVersion = errors.New("no data version loaded yet; publish one with: go run ./steps/01-batch")

// ErrDamaged is in the chain of every error that refuses a file of a published version for its content.
var ErrDamaged = errors.New("is damaged")

// Dir is a data folder. It need not exist before the first publish.
type Dir struct{ data string }

// At returns the data folder at the given path.
func At(data string) Dir { return Dir{data: data} }

// Current returns the manifest of the live build. It reads two small files and does not check the others; Pin does.
// It fails with ErrNoVersion when nothing is published, and with ErrDamaged when the live build cannot be told.
func (d Dir) Current() (Manifest, error) {
	live, err := d.pointer()
	if err != nil {
		return Manifest{}, err
	}
	return d.manifest(live.Build)
}

// Builds returns the manifests of the kept builds, the one published last first. A folder without a readable
// manifest is no build.
func (d Dir) Builds() ([]Manifest, error) {
	names, err := d.names()
	if err != nil {
		return nil, err
	}
	var builds []Manifest
	for _, name := range names {
		manifest, err := d.manifest(name)
		switch {
		case err == nil:
			builds = append(builds, manifest)
		case errors.Is(err, fs.ErrPermission):
			return nil, d.Explain(err)
		}
	}
	slices.SortFunc(builds, func(a, b Manifest) int {
		if order := b.PublishedAt.Compare(a.PublishedAt); order != 0 {
			return order
		}
		return strings.Compare(b.Build, a.Build)
	})
	return builds, nil
}

// names lists the folders whose name is that of a build.
func (d Dir) names() ([]string, error) {
	entries, err := os.ReadDir(d.versions())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.Explain(err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && isBuildName(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// manifest reads the manifest of a build.
func (d Dir) manifest(build string) (Manifest, error) {
	path := filepath.Join(d.folder(build), ManifestFile)
	content, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
		return Manifest{}, damaged(path, err)
	}
	if err != nil {
		return Manifest{}, d.Explain(err)
	}
	manifest, err := ParseManifest(content)
	if err != nil {
		return Manifest{}, damaged(path, err)
	}
	if manifest.Build != build {
		return Manifest{}, damaged(path, fmt.Errorf("it is the manifest of build %s", manifest.Build))
	}
	return manifest, nil
}

func (d Dir) versions() string           { return filepath.Join(d.data, "versions") }
func (d Dir) folder(build string) string { return filepath.Join(d.versions(), build) }

// damaged makes the error for a file that is refused. reason stays in the chain.
func damaged(path string, reason error) error {
	if errors.Is(reason, fs.ErrNotExist) {
		reason = fs.ErrNotExist // the path is named already
	}
	return fmt.Errorf("%s %w: %w; go back with: go run ./shared/cmd/rollback, "+
		"or publish again with: go run ./steps/01-batch --force", path, ErrDamaged, reason)
}
