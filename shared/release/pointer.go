package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"example.com/relevance-lab/shared/world"
)

const pointerFile = "current.json"

// pointer is what current.json holds.
type pointer struct {
	Day   world.Day `json:"day"`
	Build string    `json:"build"`
}

func (d Dir) pointer() (pointer, error) {
	path := filepath.Join(d.data, pointerFile)
	content, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return pointer{}, ErrNoVersion
	}
	if errors.Is(err, errNotRegular) {
		return pointer{}, damaged(path, err)
	}
	if err != nil {
		return pointer{}, d.Explain(err)
	}
	live, err := parsePointer(content)
	if err != nil {
		return pointer{}, damaged(path, err)
	}
	return live, nil
}

func parsePointer(content []byte) (pointer, error) {
	var live pointer
	if err := strictJSON(content, &live); err != nil {
		return pointer{}, fmt.Errorf("it names no build: %w", err)
	}
	if _, err := world.ParseDay(string(live.Day)); err != nil {
		return pointer{}, fmt.Errorf("day: %w", err)
	}
	if !isBuildName(live.Build) || !strings.HasPrefix(live.Build, string(live.Day)+"-") {
		return pointer{}, fmt.Errorf("%.80q is not the name of a build of %s", live.Build, live.Day)
	}
	return live, nil
}

// point makes a build the live one. Readers find the old build or the new one, and never half a file.
func (d Dir) point(m Manifest) error {
	content, err := json.Marshal(pointer{Day: m.Day, Build: m.Build})
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(d.data, pointerFile), append(content, '\n')); err != nil {
		return d.Explain(err)
	}
	return nil
}
