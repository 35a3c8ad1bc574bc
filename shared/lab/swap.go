package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/world"
)

// sampleEvery is how often the server's counters are read while the version changes. What happens between the last
// sample of the old version and the first of the new one counts for neither.
const sampleEvery = 100 * time.Millisecond

// settling is how long after the swap the new version is looked at apart: its cache was empty.
const settling = time.Second

// Swap is what was seen of a version that was published in the middle of a load. All times are in seconds from the
// start of the measured phase.
type Swap struct {
	From    world.Day    `json:"from"`
	To      world.Day    `json:"to"`
	Pairs   Moved        `json:"pairs"`
	Publish Published    `json:"publish"`
	Before  Sample       `json:"last_before"`  // the last sample that named the old version
	After   Sample       `json:"first_after"`  // the first sample that named the new one; zero when none did
	Settled Sample       `json:"second_after"` // the first sample a second later; zero when the load ended before it
	End     Layers       `json:"end"`          // when the load was over
	Report  *load.Report `json:"report"`
}

// Moved counts what became of the relevant pairs of the old version in the new one.
type Moved struct {
	All      int `json:"all"`
	Lost     int `json:"lost"`     // relevant no more
	Rescored int `json:"rescored"` // with another score
}

// Published is the run of the batch.
type Published struct {
	Command string  `json:"command"`
	BeganAt float64 `json:"began_at_s"`
	EndedAt float64 `json:"ended_at_s"`
	Exit    int     `json:"exit_status"`
}

// Sample is one reading of the server's counters, which were zero at the start.
type Sample struct {
	At     float64 `json:"at_s"`
	Layers Layers  `json:"layers"`
}

// PublishUnderLoad loads an API that serves the stage's version, and publishes the next day when a third of the
// measured phase is over: by the batch, as a process of its own. The program's main must have dispatched API, Batch and
// a load worker with Answers. It fails when something could not be run; what went wrong in the run is in Swap.Err.
func (s Stage) PublishUnderLoad(ctx context.Context, setup Setup) (Swap, error) {
	if ignored := exported(); len(ignored) > 0 {
		fmt.Fprintf(setup.Say, "ignored in your environment: %s (an experiment sets these itself)\n",
			strings.Join(ignored, " "))
	}
	swap := Swap{From: s.Version.Day, To: s.Version.Day.Next()}
	var err error
	if swap.Pairs, err = s.moved(ctx, swap.To); err != nil {
		return Swap{}, err
	}
	setup.Say = &inTurn{out: setup.Say}
	server, err := s.serve(ctx, nil, setup)
	if err != nil {
		return Swap{}, err
	}
	defer server.Stop()
	config := setup.Load
	config.URLs = []string{server.URL}
	config.Meanwhile = func(ctx context.Context, start time.Time) error {
		var err error
		var publishing sync.WaitGroup
		publishing.Go(func() { err = swap.publish(ctx, s, start.Add(config.Duration/3), start, setup.Say) })
		swap.watch(ctx, Client{URL: server.URL}, start, config.Duration)
		publishing.Wait()
		return err
	}
	fmt.Fprintf(setup.Say, "the API runs as a process of its own on %s\n"+
		"loading it for %g s; after %.1f s the batch publishes %s\n",
		server.URL, config.Duration.Seconds(), (config.Duration / 3).Seconds(), swap.To)

	// Plain lines of progress: a bar would run into what the batch prints.
	if swap.Report, err = load.Run(ctx, config, struct{ io.Writer }{os.Stderr}); err != nil {
		return Swap{}, err
	}
	swap.Report.Print(setup.Say)
	if len(swap.Report.Servers) == 0 {
		return Swap{}, fmt.Errorf("the server's side of the run is missing: %w", swap.Report.Err())
	}
	swap.End = layersOf(swap.Report.Server())
	return swap, nil
}

// moved compares the live version's pairs with those of another day.
func (s Stage) moved(ctx context.Context, to world.Day) (Moved, error) {
	before, err := s.Pairs(ctx)
	if err != nil {
		return Moved{}, err
	}
	after, err := batch.Score(ctx, world.New(world.Default(s.Seed), to), s.Version.Threshold)
	if err != nil {
		return Moved{}, err
	}
	moved := Moved{All: before.Len()}
	for asin := range before.World().ASINs() {
		scores := map[int32]world.Score{}
		for _, pair := range after.Of(asin) {
			scores[pair.Creative] = pair.Score
		}
		for _, pair := range before.Of(asin) {
			switch scores[pair.Creative] {
			case 0:
				moved.Lost++
			case pair.Score:
			default:
				moved.Rescored++
			}
		}
	}
	return moved, nil
}

// publish runs the batch for the new version when it is time. Times are noted from start.
func (s *Swap) publish(ctx context.Context, stage Stage, when, start time.Time, say io.Writer) (err error) {
	select {
	case <-time.After(time.Until(when)):
	case <-ctx.Done():
		return ctx.Err()
	}
	next := Publish{Day: s.To}
	fmt.Fprintf(say, "$ %s\n", next.Command())
	s.Publish = Published{Command: next.Command(), BeganAt: time.Since(start).Seconds()}
	s.Publish.Exit, err = stage.Publish(ctx, next, say)
	s.Publish.EndedAt = time.Since(start).Seconds()
	return err
}

// watch samples the server's counters until the new version has settled or the measured phase is over. A sample that
// fails is left out: whether the server still answers is what the load itself finds out.
func (s *Swap) watch(ctx context.Context, api Client, start time.Time, length time.Duration) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for ctx.Err() == nil && time.Since(start) < length && s.Settled.At == 0 {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		layers, err := api.Layers(ctx)
		if err != nil {
			continue
		}
		sample := Sample{At: time.Since(start).Seconds(), Layers: layers}
		switch {
		case layers.Version == string(s.From):
			s.Before = sample
		case s.After.At == 0:
			s.After = sample
		case sample.At-s.After.At >= settling.Seconds():
			s.Settled = sample
		}
	}
}

// Err tells what went wrong; nil when the version changed and nobody noticed.
func (s Swap) Err() error {
	var wrong []error
	if err := s.Report.Err(); err != nil {
		wrong = append(wrong, err)
	}
	switch {
	case s.Publish.Exit != 0:
		wrong = append(wrong, fmt.Errorf("the batch for %s ended with exit status %d", s.To, s.Publish.Exit))
	case s.After.At == 0 || s.Report.Versions[s.To] == 0:
		wrong = append(wrong, fmt.Errorf("the load was over before the API served %s; give more --seconds", s.To))
	case s.Report.Versions[s.From] == 0:
		wrong = append(wrong, fmt.Errorf("no answer came from %s", s.From))
	}
	return errors.Join(wrong...)
}

// RecordSwap saves what was seen as the step's recorded run.
func (s Stage) RecordSwap(step string, setup Setup, swap Swap, guess Guess) (record.Record, error) {
	settings := sizeOf(setup.Load)
	settings["next_version"] = swap.To
	settings["server"] = swap.Report.Server().Settings
	return s.RecordGuess(step, settings, swap.Numbers(), swap, guess)
}

// inTurn lets several goroutines write lines to out: the batch, the server and the program itself.
type inTurn struct {
	mutex sync.Mutex
	out   io.Writer
}

func (w *inTurn) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.out.Write(text)
}
