// Package load is the load generator. It asks a relevance API skewed, realistic questions from processes of its own,
// and reports what both sides saw: requests per second, latency, errors by kind, where lookups ended, and the CPU
// that generator and server used.
//
// Requests come from a Stream: an ASIN by Zipf's law, five creatives, each relevant or not by a coin. The stream is
// endless and every stretch of it is alike, so a longer run and a faster machine see the same shares. It is the same
// for the same seed, version and number of workers, on every architecture.
//
// A closed loop keeps a fixed number of requests in flight: a worker asks again when it has its answer. An open loop
// (Config.Rate) asks on a schedule, and counts latency from the intended start, so that a stall of the server shows in
// every request that it held up. Timing from the actual start leaves those out (coordinated omission); the report
// gives both.
//
// A warm-up, counted in requests because a cache fills by requests and not by seconds, precedes the measured phase
// and is left out of every figure. Failed requests are counted by kind and kept out of latency. Answers are looked at,
// not verified; a Check that Worker is told to make verifies them.
//
// What it does not do: retry, follow redirects, or speak HTTP/2. It measures well while it has CPU to spare; the
// report says how much it used.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relevance-lab/shared/world"
)

// Config says what load to make. Flags fills it with the defaults.
type Config struct {
	URLs        []string      `json:"urls"` // of one server or several; connections take turns
	Duration    time.Duration `json:"duration_ns"`
	Processes   int           `json:"processes"`
	Concurrency int           `json:"concurrency"`     // workers, so connections, per process
	Rate        float64       `json:"rate"`            // requests per second in all; 0 is a closed loop
	Warmup      int           `json:"warmup"`          // requests in all, before the measured phase
	Reset       bool          `json:"reset"`           // set the server's counters to zero after the warm-up
	Timeout     time.Duration `json:"timeout_ns"`      // of one request; 0 is DefaultTimeout
	Seed        uint64        `json:"seed"`            // of the world and of the stream
	World       *world.Config `json:"world,omitempty"` // sizes; nil is world.Default(Seed)
	JSON        bool          `json:"-"`               // Report.Write writes JSON

	// Meanwhile, if any, runs beside the measured phase, from its start, and Run waits for it. Its error ends the run; its
	// ctx is cancelled when the run ends early.
	Meanwhile func(ctx context.Context, start time.Time) error `json:"-"`
}

// world returns the configuration of the world that requests are drawn from.
func (c Config) world() world.Config {
	if c.World != nil {
		return *c.World
	}
	return world.Default(c.Seed)
}

// warmupShare is the number of requests with which each worker warms up.
func (c Config) warmupShare() int {
	workers := c.Processes * c.Concurrency
	return (c.Warmup + workers - 1) / workers
}

// pacer returns one process's pacer, and how many requests it holds (0 in a closed loop: as many as fit).
func (c Config) pacer(process int) (pacer, int64) {
	if c.Rate == 0 {
		return closedLoop{length: c.Duration}, 0
	}
	open := &openLoop{rate: c.Rate, processes: c.Processes, process: process, length: c.Duration}
	return open, open.scheduled()
}

// Run loads the servers and returns the report. Progress goes to progress: a bar when it is a terminal, else a line
// every few seconds. The program must pass Worker to proc.Dispatch, because Run starts it again in that role.
//
// It fails when the configuration is wrong (a cli.Usagef error), a server cannot be reached, has no version or serves
// another world, or a process of the generator ends early. Failed requests are not an error of Run: see Report.Err.
// When ctx is cancelled, Run stops its processes, waits for them and returns ctx's error.
func Run(ctx context.Context, config Config, progress io.Writer) (*Report, error) {
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	if err := config.Valid(); err != nil {
		return nil, err
	}
	targets, err := parseURLs(config.URLs)
	if err != nil {
		return nil, err
	}
	servers := make([]*server, len(targets))
	for i, target := range targets {
		servers[i] = newServer(target)
	}
	live, err := inspect(ctx, servers, config.world())
	if err != nil {
		return nil, err
	}
	start, err := openGate()
	if err != nil {
		return nil, err
	}
	defer start.close()

	show := newProgress(progress, config)
	defer show.end()
	collected := newCollection(config, show)
	var before []observation
	group, groupCtx := errgroup.WithContext(ctx)
	for process := range config.Processes {
		group.Go(func() error {
			task := assignment{
				Config: config, Process: process, Day: live.Version, Threshold: live.Threshold, Gate: start.address(),
			}
			if err := runProcess(groupCtx, task, collected); err != nil {
				return err
			}
			return collected.ended()
		})
	}
	group.Go(func() (err error) {
		if err = start.gather(groupCtx, config.Processes); err != nil {
			return err
		}
		if before, err = observe(groupCtx, servers, config.Reset); err != nil {
			return err
		}
		if collected.machineBefore, err = readMachineTime(); err != nil {
			return err
		}
		if collected.started, err = start.open(); err != nil || config.Meanwhile == nil {
			return err
		}
		select {
		case <-time.After(time.Until(collected.started)):
			return config.Meanwhile(groupCtx, collected.started)
		case <-groupCtx.Done():
			return groupCtx.Err()
		}
	})
	if err := group.Wait(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	after, gone := observe(ctx, servers, false)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if gone != nil { // what the clients saw still counts
		after = make([]observation, len(servers))
	}
	report, err := collected.report(live, servers, before, after)
	if err == nil && gone != nil {
		report.Gone = gone.Error()
	}
	return report, err
}

// inspect returns the first server's live version, after checking that all serve the world of config.
func inspect(ctx context.Context, servers []*server, config world.Config) (health, error) {
	var first health
	for i, s := range servers {
		live, err := s.health(ctx)
		if err != nil {
			return health{}, err
		}
		if err := s.serves(live, config); err != nil {
			return health{}, err
		}
		if i == 0 {
			first = live
		}
	}
	return first, nil
}

// observation is what one server counted so far.
type observation struct {
	counters counters
	known    bool
}

func observe(ctx context.Context, servers []*server, reset bool) ([]observation, error) {
	seen := make([]observation, len(servers))
	for i, s := range servers {
		if reset {
			if err := s.reset(ctx); err != nil {
				return nil, fmt.Errorf("reset the server's counters: %w", err)
			}
		}
		var err error
		if seen[i].counters, seen[i].known, err = s.metrics(ctx); err != nil {
			return nil, fmt.Errorf("read the server's counters: %w", err)
		}
	}
	return seen, nil
}

// errEarly is wrapped by the error for a process that ended without a result.
var errEarly = errors.New("it ended before the run did")
