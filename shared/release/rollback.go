package release

import (
	"errors"
	"fmt"
	"strings"
)

// Rollback makes an older build the live one and returns its manifest. to names a kept build, or a day, which means
// the last build published of that day; empty means the last build published before the live one, so that a second
// rollback goes one further back. The build's files are checked first.
func (d Dir) Rollback(to string) (target Manifest, err error) {
	if builds, err := d.Builds(); err != nil { // looked at before Lock makes a data folder where there is none
		return Manifest{}, err
	} else if len(builds) == 0 {
		return Manifest{}, ErrNoVersion
	}
	publisher, err := d.Lock()
	if err != nil {
		return Manifest{}, err
	}
	defer func() { err = errors.Join(err, publisher.Close()) }()
	builds, err := d.Builds()
	if err != nil {
		return Manifest{}, err
	}
	if target, err = d.choose(builds, to); err != nil {
		return Manifest{}, err
	}
	if err := d.verify(target); err != nil {
		return Manifest{}, err
	}
	return target, publisher.Point(target)
}

// choose picks the target among the kept builds, the one published last first.
func (d Dir) choose(builds []Manifest, to string) (Manifest, error) {
	if to != "" {
		for _, build := range builds {
			if build.Build == to || string(build.Day) == to {
				return build, nil
			}
		}
		return Manifest{}, fmt.Errorf("no kept build is named %q; %s", to, kept(builds))
	}
	live, err := d.pointer()
	if err != nil && !errors.Is(err, ErrDamaged) {
		return Manifest{}, err
	}
	for at, build := range builds {
		if build.Build != live.Build {
			continue
		}
		if at+1 < len(builds) {
			return builds[at+1], nil
		}
		return Manifest{}, fmt.Errorf("no kept build was published before the live one, %s; %s; "+
			"name another with --to (make rollback TO=…), or publish another day with: go run ./steps/01-batch --day", live.Build, kept(builds))
	}
	return builds[0], nil // the live build cannot be told or is gone: the last one that is whole
}

func kept(builds []Manifest) string {
	names := make([]string, len(builds))
	for i, build := range builds {
		names[i] = build.Build
	}
	return "kept are " + strings.Join(names, ", ")
}
