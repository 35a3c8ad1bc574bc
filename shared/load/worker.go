package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/world"
)

const roleName = "load-worker"

// Task is what a check may have to know about the run.
type Task struct {
	World     world.Config
	Day       world.Day   // live at the start
	Threshold world.Score // of that version
}

// MakeCheck makes a Check for one run.
type MakeCheck func(ctx context.Context, task Task) (Check, error)

// Worker is the role of one of the generator's processes. A program that calls Run passes it to proc.Dispatch first
// thing in main. With checks, each answer that looks good is also given to them. They are made once in a process,
// before it warms up, so that what they have to prepare costs the measured phase nothing.
func Worker(checks ...MakeCheck) proc.Role {
	return proc.Role{Name: roleName, Run: func(ctx context.Context, args []string) error {
		var task assignment
		if len(args) != 1 {
			return fmt.Errorf("%s: got %d arguments, needs its assignment", roleName, len(args))
		}
		if err := json.Unmarshal([]byte(args[0]), &task); err != nil {
			return fmt.Errorf("%s: read the assignment: %w", roleName, err)
		}
		out := json.NewEncoder(os.Stdout)
		if err := task.run(ctx, out, checks); err != nil && ctx.Err() == nil {
			return out.Encode(message{Failure: err.Error()}) // for the parent to say, once for all processes
		}
		return nil // also where the parent has ended the run: it says so itself
	}}
}

// makeAll makes one check of all; nil where there is none.
func makeAll(ctx context.Context, makers []MakeCheck, task Task) (Check, error) {
	var checks []Check
	for _, makeCheck := range makers {
		check, err := makeCheck(ctx, task)
		if err != nil {
			return nil, fmt.Errorf("prepare a check of the answers: %w", err)
		}
		checks = append(checks, check)
	}
	if len(checks) == 0 {
		return nil, nil
	}
	return func(asin string, creatives []string, body []byte) error {
		for _, check := range checks {
			if err := check(asin, creatives, body); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// assignment is what a process is told when it starts.
type assignment struct {
	Config    Config      `json:"config"`
	Process   int         `json:"process"`
	Day       world.Day   `json:"day"`       // the live version: which pairs are relevant
	Threshold world.Score `json:"threshold"` // of the live version
	Gate      string      `json:"gate"`
}

// message is one line that a process writes: a second that has ended or, last, the result or why there is none.
type message struct {
	Second  *secondMessage `json:"second,omitempty"`
	Result  *result        `json:"result,omitempty"`
	Failure string         `json:"failure,omitempty"`
}

type secondMessage struct {
	Number  int    `json:"number"`
	OK      int64  `json:"ok"`
	Errors  int64  `json:"errors"`
	Latency []byte `json:"latency"` // encoded histogram
}

// result is what a process has to say at the end, beside the seconds.
type result struct {
	Totals      totals        `json:"totals"`
	Actual      []byte        `json:"actual"` // encoded histogram from the actual start
	Elapsed     time.Duration `json:"elapsed_ns"`
	InFlight    samples       `json:"in_flight"`
	CPU         time.Duration `json:"cpu_ns"`
	Connections int64         `json:"connections"`
	Scheduled   int64         `json:"scheduled"` // open loop: the requests that its schedule held
}

func (t assignment) run(ctx context.Context, out *json.Encoder, checks []MakeCheck) error {
	pairs, err := batch.Score(ctx, world.New(t.Config.world(), t.Day), t.Threshold)
	if err != nil {
		return err
	}
	traffic, err := NewTraffic(pairs, t.Config.Seed)
	if err != nil {
		return err
	}
	check, err := makeAll(ctx, checks, Task{World: t.Config.world(), Day: t.Day, Threshold: t.Threshold})
	if err != nil {
		return err
	}
	targets, err := parseURLs(t.Config.URLs)
	if err != nil {
		return err
	}
	a, err := newAttack(traffic, targets, t.Config, t.Process, check)
	if err != nil {
		return err
	}
	defer a.close()
	stop := context.AfterFunc(ctx, a.interrupt)
	defer stop()

	a.warm(ctx, t.Config.warmupShare())
	origin, err := waitAtGate(ctx, t.Gate)
	if err != nil {
		return err
	}
	return t.measure(ctx, a, origin, out)
}

func (t assignment) measure(ctx context.Context, a *attack, origin time.Time, out *json.Encoder) error {
	cpuBefore, err := cpuTime()
	if err != nil {
		return err
	}
	pace, scheduled := t.Config.pacer(t.Process)
	into := newRecorder()
	var done result
	var sending error
	watching, enough := context.WithCancel(ctx)
	defer enough()
	var watchers sync.WaitGroup
	watchers.Go(func() { done.InFlight = a.inFlight.sample(watching) })
	watchers.Go(func() { sending = sendSeconds(watching, into, origin, out) })

	a.measure(ctx, origin, pace, into)
	done.Elapsed = time.Since(origin)
	enough()
	watchers.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if sending != nil {
		return sending
	}

	cpuAfter, err := cpuTime()
	if err != nil {
		return err
	}
	done.CPU = cpuAfter - cpuBefore
	done.Connections = a.connections()
	done.Scheduled = scheduled
	if err := sendAll(into.take(done.Elapsed+time.Second), into, out); err != nil {
		return err
	}
	var actual *hdrhistogram.Histogram
	done.Totals, actual = into.finish()
	if done.Actual, err = encode(actual); err != nil {
		return err
	}
	return out.Encode(message{Result: &done})
}

// sendSeconds sends each second once it has ended.
func sendSeconds(ctx context.Context, from *recorder, origin time.Time, out *json.Encoder) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := sendAll(from.take(time.Since(origin)), from, out); err != nil {
				return err
			}
		}
	}
}

func sendAll(ended []*openSecond, from *recorder, out *json.Encoder) error {
	for _, second := range ended {
		latency, err := encode(second.histogram)
		if err != nil {
			return fmt.Errorf("%s: %w", roleName, err)
		}
		line := message{Second: &secondMessage{
			Number: second.number, OK: second.ok, Errors: second.errors, Latency: latency,
		}}
		from.give(second)
		if err := out.Encode(line); err != nil {
			return fmt.Errorf("%s: %w", roleName, err)
		}
	}
	return nil
}

func parseURLs(texts []string) ([]*url.URL, error) {
	targets := make([]*url.URL, len(texts))
	for i, text := range texts {
		target, err := url.Parse(text)
		if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
			return nil, fmt.Errorf("%q is not the address of a server; write it like %s", text, DefaultURL)
		}
		targets[i] = target
	}
	return targets, nil
}
