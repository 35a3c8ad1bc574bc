package release

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"
)

// Rolled is the build that a rollback made live.
type Rolled struct {
	Manifest
	Doubt string // why the build that was live before could not be told; empty where it could, or was not asked for
}

// String says it: in one line, and in one more before it where there was a doubt.
func (r Rolled) String() string {
	line := fmt.Sprintf("rolled back: current.json now points at version %s (build %s, %s rows)",
		r.Day, r.Build, humanize.Comma(int64(r.Rows)))
	if r.Doubt != "" {
		return r.Doubt + "\n" + line
	}
	return line
}

// Rollback makes an older build the live one. to names a kept build, or a day, which means the last build published of
// that day; empty means the last build published before the live one, so that a second rollback goes one further back.
// Where current.json is missing or damaged, or the live build is, empty means the last published build that is whole,
// and the result says so. The build's files are checked first.
func (d Dir) Rollback(to string) (target Rolled, err error) {
	if builds, err := d.Builds(); err != nil { // looked at before Lock makes a data folder where there is none
		return Rolled{}, err
	} else if len(builds) == 0 {
		return Rolled{}, ErrNoVersion
	}
	publisher, err := d.Lock()
	if err != nil {
		return Rolled{}, err
	}
	defer func() { err = errors.Join(err, publisher.Close()) }()
	builds, err := d.Builds()
	if err != nil {
		return Rolled{}, err
	}
	if target, err = d.choose(builds, to); err != nil {
		return Rolled{}, err
	}
	return target, publisher.Point(target.Manifest)
}

// choose picks the target among the kept builds, the one published last first, and makes sure that it is whole.
func (d Dir) choose(builds []Manifest, to string) (Rolled, error) {
	if to != "" {
		for _, build := range builds {
			if build.Build == to || string(build.Day) == to {
				return d.whole(build, builds)
			}
		}
		return Rolled{}, fmt.Errorf("no kept build is named %q; %s", to, kept(builds))
	}
	live, err := d.pointer()
	if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoVersion) {
		return Rolled{}, err
	}
	for at, build := range builds {
		if build.Build != live.Build {
			continue
		}
		if at+1 < len(builds) {
			return d.whole(builds[at+1], builds)
		}
		return Rolled{}, fmt.Errorf("no kept build was published before the live one, %s; %s; "+
			"name another with --to (make rollback TO=…), or publish another day with: go run ./steps/01-batch --day",
			live.Build, kept(builds))
	}
	return d.newest(builds, d.doubt(live, err, builds))
}

// doubt says why no build is the live one, as far as can be told, and how to choose another than the newest.
func (d Dir) doubt(live pointer, err error, builds []Manifest) string {
	path := filepath.Join(d.data, pointerFile)
	what := path + " is damaged"
	switch {
	case errors.Is(err, ErrNoVersion):
		what = path + " is missing"
	case err == nil:
		what = fmt.Sprintf("%s names build %s, which is gone or damaged", path, live.Build)
	}
	return what + ", so the last build published is taken; for another: --to (make rollback TO=…); " + kept(builds)
}

// newest is the last published build that is whole.
func (d Dir) newest(builds []Manifest, doubt string) (target Rolled, err error) {
	for _, build := range builds {
		if target, err = d.whole(build, builds); !errors.Is(err, ErrDamaged) {
			break
		}
	}
	target.Doubt = doubt
	return target, err
}

// whole makes sure that the build's files are those that were published.
func (d Dir) whole(build Manifest, builds []Manifest) (Rolled, error) {
	err := d.verify(build)
	if errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w; or name another build with --to (make rollback TO=…); %s", err, kept(builds))
	}
	return Rolled{Manifest: build}, err
}

func kept(builds []Manifest) string {
	names := make([]string, len(builds))
	for i, build := range builds {
		names[i] = build.Build
	}
	return "kept are " + strings.Join(names, ", ")
}
