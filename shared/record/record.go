// Package record keeps what a step measured: results/step-06.json, one file a step, written whole or not at all.
//
// A record says where it was measured, with which settings, and what came out, so that a later run, a lesson, the
// site and a grader can read it without running anything. Numbers are named, with the unit at the end of the name
// where there is one (latency_p50_ms). The schema number changes when a reader of the old form would misread the new.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Schema is the version of the form in which records are written.
const Schema = 1

// Record is one recorded run of a step.
type Record struct {
	Schema     int                `json:"schema"`
	Step       string             `json:"step"` // the step's folder, "06-load"
	RecordedAt time.Time          `json:"recorded_at"`
	Machine    Machine            `json:"machine"`
	Config     map[string]any     `json:"config"`
	Numbers    map[string]float64 `json:"numbers"`
	Detail     json.RawMessage    `json:"detail,omitempty"` // the step's own report, such as a load report
	Prediction *Prediction        `json:"prediction,omitempty"`
}

// Prediction is what a person expected before the run, beside what was measured. Both have the unit of the question.
type Prediction struct {
	Question  string  `json:"question"`
	Unit      string  `json:"unit,omitempty"` // such as %
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
}

// New returns a record of the step on this machine, now. detail may be nil.
func New(step string, config map[string]any, numbers map[string]float64, detail any) (Record, error) {
	record := Record{
		Schema: Schema, Step: step, RecordedAt: time.Now().UTC().Truncate(time.Second), Machine: ThisMachine(),
		Config: config, Numbers: numbers,
	}
	if detail == nil {
		return record, nil
	}
	text, err := json.Marshal(detail)
	if err != nil {
		return Record{}, fmt.Errorf("record of step %s: %w", step, err)
	}
	record.Detail = text
	return record, nil
}

// Path is the file of a step's record below results: the folder 06-load has step-06.json. What is no step has a file of
// its own name: baseline.json.
func Path(results, step string) string {
	number, _, isStep := strings.Cut(step, "-")
	if !isStep {
		return filepath.Join(results, step+".json")
	}
	return filepath.Join(results, "step-"+number+".json")
}

// Save writes the record into the results folder, which it makes when it is missing.
func (r Record) Save(results string) error {
	if err := os.MkdirAll(results, 0o755); err != nil {
		return fmt.Errorf("record step %s: %w; make the folder writable, or set LAB_HOME to one that is", r.Step, err)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("record step %s: %w", r.Step, err)
	}
	if err := WriteFile(Path(results, r.Step), append(text, '\n')); err != nil {
		return fmt.Errorf("record step %s: %w", r.Step, err)
	}
	return nil
}

// WriteFile replaces the file with content, whole or not at all: it writes a temporary file beside it and renames.
func WriteFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// ErrNone tells that a step has no recorded run.
var ErrNone = errors.New("no recorded run")

// Load reads a step's record from the results folder. The error wraps ErrNone when the step has not been run.
func Load(results, step string) (Record, error) {
	path := Path(results, step)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Record{}, fmt.Errorf("step %s: %w; run it with: go run ./steps/%s", step, ErrNone, step)
	}
	if err != nil {
		return Record{}, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return Record{}, fmt.Errorf("%s is damaged (%w); run the step again", filepath.Base(path), err)
	}
	if r.Schema != Schema {
		return Record{}, fmt.Errorf("%s has schema %d, this checkout reads %d; run the step again",
			filepath.Base(path), r.Schema, Schema)
	}
	if r.Step != step {
		return Record{}, fmt.Errorf("%s is a record of step %s, not of %s; run the step again",
			filepath.Base(path), r.Step, step)
	}
	return r, nil
}
