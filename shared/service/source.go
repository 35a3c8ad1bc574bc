package service

import (
	"context"
	"errors"
	"fmt"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
)

// Source is where versions come from.
type Source interface {
	// Live names the build that is published now. It is asked several times a second. Where nothing was ever
	// published the error is release.ErrNoVersion.
	Live(ctx context.Context) (build string, err error)

	// Load opens the live build, whole and verified, or returns an error and leaves nothing open.
	Load(ctx context.Context) (*Version, error)
}

// Version is one build, opened. Filter and Scores hold the same keys. A read through Scores has to end when its
// context does; a version is closed only after its last read has returned.
type Version struct {
	Manifest release.Manifest
	Filter   *bloom.Filter
	Scores   store.Reader
	Unpin    func() error // lets the build be removed; called last
}

// Close closes the store, then unpins the build.
func (v *Version) Close() error {
	err := errors.Join(v.Scores.Close(), v.Unpin())
	if err != nil {
		return fmt.Errorf("close %s: %w", v.Manifest.Build, err)
	}
	return nil
}

// Disk returns the source that reads the builds below a data folder.
func Disk(dir release.Dir) Source { return disk{dir} }

type disk struct{ dir release.Dir }

func (d disk) Live(context.Context) (string, error) {
	manifest, err := d.dir.Current()
	return manifest.Build, err
}

func (d disk) Load(context.Context) (*Version, error) {
	build, err := d.dir.Pin()
	if err != nil {
		return nil, err
	}
	filter, err := bloom.Load(build.Path(release.FilterFile))
	if err != nil {
		return nil, errors.Join(err, build.Close())
	}
	scores, err := sqlite.Open(build.Path(release.ScoresFile))
	if err != nil {
		return nil, errors.Join(err, build.Close())
	}
	return &Version{Manifest: build.Manifest, Filter: filter, Scores: scores, Unpin: build.Close}, nil
}
