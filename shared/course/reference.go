package course

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/relevance-lab/shared/record"
)

// ReferenceSchema is the version of the form of reference.json.
const ReferenceSchema = 1

// ReferenceFile is the name of a step's recorded run in its folder.
const ReferenceFile = "reference.json"

// Reference is a step's recorded run: what each command of its lesson printed, where and when.
type Reference struct {
	Schema     int                `json:"schema"`
	RecordedAt time.Time          `json:"recorded_at"` // UTC
	Machine    record.Machine     `json:"machine"`
	Config     map[string]any     `json:"config"`            // of the first run that recorded numbers, and the seed
	Numbers    map[string]float64 `json:"numbers,omitempty"` // of the first run that recorded any
	Runs       []Recorded         `json:"runs"`
}

// Recorded is one run of one command.
type Recorded struct {
	ID      string             `json:"id"`
	Command string             `json:"command"`
	Exit    int                `json:"exit"`
	Output  string             `json:"output"`            // standard output and error, as a terminal shows them
	Numbers map[string]float64 `json:"numbers,omitempty"` // what the run recorded in results/
}

// Run returns the recorded run with an id.
func (r Reference) Run(id string) (Recorded, bool) {
	for _, run := range r.Runs {
		if run.ID == id {
			return run, true
		}
	}
	return Recorded{}, false
}

// ErrNotRecorded tells that a step has no reference.json yet.
var ErrNotRecorded = errors.New("is not recorded yet")

// Reference reads the step's reference.json. The error wraps ErrNotRecorded where there is none.
func (s Step) Reference() (Reference, error) {
	file := s.File(ReferenceFile)
	text, err := os.ReadFile(filepath.Join(s.Dir, ReferenceFile))
	if errors.Is(err, os.ErrNotExist) {
		return Reference{}, fmt.Errorf("%s %w; record it with: make reference STEP=%d", file, ErrNotRecorded, s.Number)
	}
	if err != nil {
		return Reference{}, err
	}
	var reference Reference
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&reference); err != nil {
		return Reference{}, fmt.Errorf("%s is damaged (%w); record it again with: make reference STEP=%d",
			file, err, s.Number)
	}
	if reference.Schema != ReferenceSchema {
		return Reference{}, fmt.Errorf("%s has schema %d, this checkout reads %d; "+
			"record it again with: make reference STEP=%d", file, reference.Schema, ReferenceSchema, s.Number)
	}
	return reference, nil
}

// Save writes the reference into the step's folder, whole or not at all.
func (r Reference) Save(step Step) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("%s: %w", step.File(ReferenceFile), err)
	}
	return record.WriteFile(filepath.Join(step.Dir, ReferenceFile), text.Bytes())
}
