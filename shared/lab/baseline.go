package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

// baselineName is what the baseline is called, in a comparison and beside the records of the steps.
const baselineName = "baseline"

// recent is how old a baseline may be: a machine drifts by a quarter within the hour.
const recent = 10 * time.Minute

// baseline returns what a server with the defaults does under the load: the one that was measured last, where it is
// recent and of this machine, version and load, else one that is measured now and kept for the next experiment.
func (s Stage) baseline(ctx context.Context, setup Setup) (Measured, error) {
	kept, err := s.keptBaseline(setup.Load, time.Now())
	if err == nil {
		fmt.Fprintf(setup.Say, "the baseline was measured %s; it is used again\n", humanize.Time(kept.MeasuredAt))
		kept.Report.Print(setup.Say)
		return kept, nil
	}
	fmt.Fprintf(setup.Say, "first the baseline, with nothing changed (%v)\n", err)
	measured, err := s.measure(ctx, Variant{Key: baselineName}, setup)
	if err != nil || measured.Err() != nil {
		return measured, err // a run with failed requests is no baseline for the next experiment
	}
	return measured, s.keepBaseline(measured, setup.Load)
}

func (s Stage) keepBaseline(measured Measured, config load.Config) error {
	made, err := record.New(baselineName, s.settings(sizeOf(config)), loadNumbers(measured.Report), measured)
	if err != nil {
		return err
	}
	return made.Save(s.Home.Results())
}

// keptBaseline returns the kept baseline, or in a few words why it will not do.
func (s Stage) keptBaseline(config load.Config, now time.Time) (Measured, error) {
	kept, err := record.Load(s.Home.Results(), baselineName)
	if errors.Is(err, record.ErrNone) {
		return Measured{}, errors.New("none is recorded yet")
	}
	var measured Measured
	if err != nil || json.Unmarshal(kept.Detail, &measured) != nil || measured.Report == nil {
		return Measured{}, errors.New("the recorded one cannot be read")
	}
	want, err := plain(s.settings(sizeOf(config)))
	if err != nil {
		return Measured{}, err
	}
	report := measured.Report
	switch age := now.Sub(measured.MeasuredAt); {
	case kept.Machine != record.ThisMachine():
		return Measured{}, errors.New("the recorded one is of another machine")
	case kept.Config["build"] != want["build"] || measured.Build != s.Version.Build || kept.Config["seed"] != want["seed"]:
		return Measured{}, errors.New("the recorded one is of another version")
	case !reflect.DeepEqual(kept.Config, want):
		return Measured{}, errors.New("the recorded one is of another load")
	case age < 0:
		return Measured{}, errors.New("the recorded one is of the future")
	case age > recent:
		return Measured{}, errors.New("the recorded one is too old")
	case len(report.Servers) != 1 || measured.Err() != nil:
		return Measured{}, errors.New("the recorded one is no clean run")
	case len(measured.Settings) > 0 || report.Servers[0].Settings != unchanged():
		return Measured{}, errors.New("the recorded one is of another server")
	}
	return measured, nil
}

// plain is a configuration as it reads when it was written to a file.
func plain(config map[string]any) (read map[string]any, err error) {
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	return read, err
}
