package load

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// Print writes the report for people: what the client saw, Little's law, what the server counted, and who used the
// CPU. Further lines appear only when they have something to say.
func (r *Report) Print(w io.Writer) {
	r.printOffered(w)
	fmt.Fprintf(w, "requests: %s ok, %s errors in %.1fs -> %s req/s\n",
		humanize.Comma(r.OK), humanize.Comma(r.Failed), r.Seconds, rate(r.PerSecond))
	r.printErrors(w)
	r.printLatency(w)
	fmt.Fprintf(w, "Little's law: %s req/s x %s s = %s in flight (sampled %s, you ran %s)\n",
		rate(r.Little.PerSecond), seconds(r.Little.MeanSeconds), flying(r.Little.InFlight), decimals(r.Little.Sampled),
		r.limit())
	r.printVersions(w)
	r.printServers(w)
	r.printConnections(w)
	r.printCPU(w)
}

func (r *Report) printOffered(w io.Writer) {
	switch {
	case r.Offered == nil:
	case r.Offered.Reached:
		fmt.Fprintf(w, "open loop: %s req/s asked for, %s sent: the rate was reached\n",
			rate(r.Offered.Asked), rate(r.Offered.Sent))
	default:
		fmt.Fprintf(w, "open loop: %s req/s asked for, %s sent: the rate was NOT reached; "+
			"%s requests were due and found all %d connections busy\n",
			rate(r.Offered.Asked), rate(r.Offered.Sent), humanize.Comma(r.Offered.Unsent), r.Little.Limit)
	}
}

func (r *Report) printErrors(w io.Writer) {
	if len(r.Errors) > 0 {
		fmt.Fprintf(w, "errors, left out of latency: %s (first %s: %s)\n", r.kinds(), r.Errors[0].Kind, r.Errors[0].First)
	}
	if r.Degraded > 0 {
		fmt.Fprintf(w, "degraded: %s answers lacked scores because the database failed or was over its time budget\n",
			humanize.Comma(r.Degraded))
	}
}

func (r *Report) printLatency(w io.Writer) {
	if r.ActualLatency == nil {
		fmt.Fprintf(w, "client latency ms: %s\n", r.Latency.line())
		return
	}
	fmt.Fprintf(w, "client latency ms: %s (from the intended start)\n", r.Latency.line())
	fmt.Fprintf(w, "client latency ms: %s (from the actual start)\n", r.ActualLatency.line())
}

func (l Latency) line() string {
	if l.Count == 0 {
		return "no good answer"
	}
	tail := ""
	if l.P999 > 0 {
		tail = "  p99.9 " + ms(l.P999)
	}
	return fmt.Sprintf("p50 %s  p99 %s%s  max %s", ms(l.P50), ms(l.P99), tail, ms(l.Max))
}

func (r *Report) limit() string {
	if r.Offered != nil {
		return fmt.Sprintf("at most %d", r.Little.Limit)
	}
	return fmt.Sprint(r.Little.Limit)
}

func (r *Report) printVersions(w io.Writer) {
	if len(r.Versions) < 2 {
		return
	}
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(r.Versions)) {
		parts = append(parts, fmt.Sprintf("%s in %s answers", version, humanize.Comma(r.Versions[version])))
	}
	fmt.Fprintf(w, "versions seen: %s\n", strings.Join(parts, ", "))
}

func (r *Report) printServers(w io.Writer) {
	if r.Gone != "" {
		fmt.Fprintln(w, "server: gone at the end, so its side is missing")
	}
	if len(r.Servers) == 0 {
		return
	}
	all := r.Server()
	fmt.Fprintf(w, "server [%s] %s lookups: Bloom said no %s, cache hits %s, read from db %s in %s batched reads\n",
		all.Version, humanize.Comma(all.Lookups), percent(all.BloomNo, all.Lookups), percent(all.CacheHits, all.Lookups),
		percent(all.DBKeys, all.Lookups), humanize.Comma(all.DBReads))
	for _, one := range r.Servers {
		name := "server"
		if len(r.Servers) > 1 {
			name = "server " + one.URL
		}
		since := ""
		if !r.Config.Reset {
			since = " (since its last reset)"
		}
		fmt.Fprintf(w, "%s latency ms: p50 %.3f  p99 %.3f  max %.3f%s\n",
			name, one.Latency.P50, one.Latency.P99, one.Latency.Max, since)
	}
}

// Server returns what all servers counted together; zero when none has counters. Its URL, settings, latency and time at
// the database are empty where there are several: quantiles cannot be added.
func (r *Report) Server() Server {
	if len(r.Servers) == 1 {
		return r.Servers[0]
	}
	var all Server
	for _, one := range r.Servers {
		all.Version = max(all.Version, one.Version)
		all.Requests += one.Requests
		all.Lookups += one.Lookups
		all.BloomNo += one.BloomNo
		all.CacheHits += one.CacheHits
		all.DBReads += one.DBReads
		all.DBKeys += one.DBKeys
		all.DBWaited += one.DBWaited
		all.Degraded += one.Degraded
		all.DegradedKeys += one.DegradedKeys
		all.Errors += one.Errors
		all.Swaps += one.Swaps
		all.FailedSwaps += one.FailedSwaps
		all.CPUSeconds += one.CPUSeconds
		all.RSSBytes += one.RSSBytes
	}
	return all
}

func (r *Report) printConnections(w io.Writer) {
	if r.Connections.Opened > r.Connections.Ideal {
		fmt.Fprintf(w, "new connections: %s where %s would do; something closes them between requests\n",
			humanize.Comma(r.Connections.Opened), humanize.Comma(r.Connections.Ideal))
	}
}

func (r *Report) printCPU(w io.Writer) {
	line := fmt.Sprintf("CPU: generator %.2f cores (%.0f%% of %d)",
		r.CPU.Generator, 100*r.CPU.Generator/float64(r.CPU.Cores), r.CPU.Cores)
	if r.CPU.Known {
		line += fmt.Sprintf(", server %.2f cores", r.CPU.Server)
		if r.CPU.Local {
			line += fmt.Sprintf(" (%.0f%%), machine %.0f%% busy", 100*r.CPU.Server/float64(r.CPU.Cores),
				100*min(1, max(r.CPU.Busy, r.CPU.Generator+r.CPU.Server)/float64(r.CPU.Cores)))
		}
	}
	verdict := r.CPU.Verdict()
	if r.Offered != nil && r.Offered.Reached && verdict == idle {
		verdict = "neither is the bottleneck: the offered rate leaves CPU to spare"
	}
	fmt.Fprintf(w, "%s\n  -> %s\n", line, verdict)
}

// A machine is full when this share of its cores is busy; other programs disturb when they take this share of them.
const (
	fullShare       = 0.85
	disturbingShare = 0.20
)

const idle = "neither is the bottleneck: requests wait for something else than CPU"

// Verdict says in a few words which side holds the throughput down.
func (c CPU) Verdict() string {
	full := fullShare * float64(c.Cores)
	switch {
	case c.Generator >= full:
		return "the generator is the bottleneck: give it a machine of its own"
	case !c.Known || !c.Local:
		return "the generator has CPU to spare"
	case c.Server >= full:
		return "the server is the bottleneck"
	case max(c.Busy, c.Generator+c.Server) < full:
		return idle
	case c.Others >= disturbingShare*float64(c.Cores):
		return fmt.Sprintf("other programs take %.2f cores of this full machine: end them and measure again", c.Others)
	case c.Generator > c.Server:
		return "the generator takes more of this full machine than the server it measures"
	default:
		return "the server takes most of this full machine"
	}
}

// rate prints requests per second: whole above 100.
func rate(perSecond float64) string {
	if perSecond >= 100 {
		return humanize.Comma(int64(perSecond + 0.5))
	}
	return fmt.Sprintf("%.1f", perSecond)
}

// flying prints a number in flight: whole from 10 on.
func flying(count float64) string {
	if count >= 10 {
		return fmt.Sprintf("%.0f", count)
	}
	return decimals(count)
}

// decimals prints a number in flight with one decimal, two below 1.
func decimals(count float64) string {
	if count >= 1 {
		return fmt.Sprintf("%.1f", count)
	}
	return fmt.Sprintf("%.2f", count)
}

// ms prints milliseconds: one decimal from 10 on, three below.
func ms(value float64) string {
	if value >= 10 {
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

// seconds prints a mean time with at least three significant digits.
func seconds(value float64) string {
	if value >= 0.01 {
		return fmt.Sprintf("%.4f", value)
	}
	return fmt.Sprintf("%.6f", value)
}

func percent(part, whole int64) string {
	if whole == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole))
}
