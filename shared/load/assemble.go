package load

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"time"

	"example.com/relevance-lab/shared/world"
)

// enoughOfRate is the share of an offered load that counts as having reached it.
const enoughOfRate = 0.99

// report puts together what the processes measured and what the servers counted.
func (c *collection) report(live health, servers []*server, before, after []observation) (*Report, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(c.pending)) {
		c.end(c.pending[number])
	}
	sum := c.sum()
	r := &Report{
		StartedAt: c.started.UTC(), Config: c.config, Version: live.Version,
		OK: sum.OK, Seconds: sum.elapsed.Seconds(), Degraded: sum.Degraded,
		Versions: map[world.Day]int64{},
		Timeline: c.timeline(),
	}
	var err error
	if r.Latency, err = newLatency(c.latency, sum.Latency); err != nil {
		return nil, err
	}
	for kind, seen := range sum.Errors {
		r.Failed += seen.Count
		r.Errors = append(r.Errors, ErrorKind{Kind: kind, Count: seen.Count, First: seen.Example})
	}
	slices.SortFunc(r.Errors, func(a, b ErrorKind) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind))
	})
	for version, seen := range sum.Versions {
		r.Versions[world.Day(version)] = seen
	}
	r.PerSecond = float64(r.OK) / r.Seconds
	r.Connections = Connections{Opened: sum.connections, Ideal: int64(c.config.Processes * c.config.Concurrency)}
	r.LongestWait = float64(sum.Longest) / float64(time.Millisecond)
	r.Little = sum.little(r.Connections.Ideal)
	if c.config.Rate > 0 {
		actual, err := newLatency(c.actual, sum.Actual)
		if err != nil {
			return nil, err
		}
		r.ActualLatency = &actual
		r.Offered = sum.offered(c.config)
	}
	r.Servers = countedBy(servers, before, after)
	r.CPU = sum.cpuShare(r.Servers, servers)
	programs, busy := c.machineAfter.coresSince(c.machineBefore)
	r.CPU.setMachine(programs, busy)
	return r, nil
}

// sums are the results of all processes together.
type sums struct {
	totals
	elapsed     time.Duration // of the process that took longest
	cpu         time.Duration
	connections int64
	scheduled   int64
	inFlight    float64 // the integral over time, in request-seconds
	samples     int64
}

func (c *collection) sum() sums {
	all := sums{totals: totals{Errors: map[string]tally{}, Versions: map[string]int64{}}}
	for _, one := range c.results {
		all.OK += one.Totals.OK
		all.Degraded += one.Totals.Degraded
		all.Latency += one.Totals.Latency
		all.Actual += one.Totals.Actual
		all.Busy += one.Totals.Busy
		all.Longest = max(all.Longest, one.Totals.Longest)
		for kind, seen := range one.Totals.Errors {
			all.Errors[kind] = all.Errors[kind].plus(seen)
		}
		for version, seen := range one.Totals.Versions {
			all.Versions[version] += seen
		}
		all.elapsed = max(all.elapsed, one.Elapsed)
		all.cpu += one.CPU
		all.connections += one.Connections
		all.scheduled += one.Scheduled
		all.inFlight += one.InFlight.mean() * one.Elapsed.Seconds()
		all.samples += one.InFlight.Count
	}
	return all
}

func (s sums) finished() int64 {
	count := s.OK
	for _, seen := range s.Errors {
		count += seen.Count
	}
	return count
}

func (s sums) little(limit int64) Little {
	little := Little{Sampled: s.inFlight / s.elapsed.Seconds(), Samples: s.samples, Limit: int(limit)}
	if count := s.finished(); count > 0 {
		little.PerSecond = float64(count) / s.elapsed.Seconds()
		little.MeanSeconds = s.Busy.Seconds() / float64(count)
	}
	little.InFlight = little.PerSecond * little.MeanSeconds
	return little
}

func (s sums) offered(config Config) *Offered {
	sent := s.finished()
	return &Offered{
		Asked:   config.Rate,
		Sent:    float64(sent) / config.Duration.Seconds(),
		Unsent:  max(0, s.scheduled-sent),
		Reached: float64(sent) >= enoughOfRate*float64(s.scheduled),
	}
}

func (s sums) cpuShare(counted []Server, servers []*server) CPU {
	cpu := CPU{
		Cores:     runtime.GOMAXPROCS(0),
		Generator: s.cpu.Seconds() / s.elapsed.Seconds(),
		Known:     len(counted) == len(servers),
		Local:     true,
	}
	for _, one := range counted {
		cpu.Server += one.CPUSeconds / s.elapsed.Seconds()
	}
	for _, one := range servers {
		cpu.Local = cpu.Local && one.local()
	}
	return cpu
}

// setMachine adds what the whole machine did. Readings of it are coarse, so small differences may come out negative.
func (c *CPU) setMachine(programs, busy float64) {
	c.Busy = busy
	c.Others = programs - c.Generator
	if c.Local {
		c.Others -= c.Server
	}
	c.Others = max(0, c.Others)
}

// countedBy returns what each server counted between two observations.
func countedBy(servers []*server, before, after []observation) []Server {
	var counted []Server
	for i, s := range servers {
		if !before[i].known || !after[i].known {
			continue
		}
		to := after[i].counters
		from := to.countedFrom(before[i].counters)
		counted = append(counted, Server{
			URL: s.url.String(), Version: to.Version,
			Requests: to.Requests - from.Requests, Lookups: to.Lookups - from.Lookups,
			BloomNo: to.BloomNo - from.BloomNo, CacheHits: to.CacheHits - from.CacheHits,
			DBReads: to.DBReads - from.DBReads, DBKeys: to.DBKeys - from.DBKeys, DBWaited: to.DBWaited - from.DBWaited,
			Degraded: to.Degraded - from.Degraded, DegradedKeys: to.DegradedKeys - from.DegradedKeys,
			Errors: to.Errors - from.Errors,
			Swaps:  to.Swaps - from.Swaps, FailedSwaps: to.FailedSwaps - from.FailedSwaps,
			CPUSeconds: to.CPUSeconds - from.CPUSeconds, RSSBytes: to.RSSBytes, Latency: to.Latency,
			DBTime: to.DBTime, Settings: to.Settings,
		})
	}
	return counted
}

// timeline returns the seconds in order, without an empty one after the end.
func (c *collection) timeline() []Second {
	slices.SortFunc(c.seconds, func(a, b Second) int { return a.Second - b.Second })
	if last := len(c.seconds) - 1; last >= 0 && c.seconds[last].OK+c.seconds[last].Errors == 0 &&
		time.Duration(last)*time.Second >= c.config.Duration {
		return c.seconds[:last]
	}
	return c.seconds
}
