package load

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/relevance-lab/shared/cli"
)

// Defaults of the flags.
const (
	DefaultURL         = "http://127.0.0.1:8000"
	DefaultDuration    = 12 * time.Second
	DefaultProcesses   = 2
	DefaultConcurrency = 32
	DefaultWarmup      = 60_000          // then the shares of the next minute move by less than a point
	DefaultTimeout     = 5 * time.Second // has no flag
)

// The bounds within which a flag makes sense on one machine.
const (
	maxSeconds     = 24 * 60 * 60
	maxProcesses   = 256
	maxConcurrency = 10_000
	maxRate        = 10_000_000
	maxWarmup      = 1_000_000_000
)

// Flags defines the generator's flags and returns the configuration that they fill in. The seed is not a flag: it is
// LAB_SEED, which the caller has read.
func Flags(flags *flag.FlagSet, seed uint64) *Config {
	config := SizeFlags(flags, seed, DefaultDuration)
	flags.Var(&urlsFlag{urls: &config.URLs}, "url",
		"address of the `server`; several, comma separated or repeated, share the load")
	flags.Float64Var(&config.Rate, "rate", 0,
		"open loop: requests per second in all, whatever the server does; 0 is a closed loop")
	flags.BoolVar(&config.Reset, "reset", false, "set the server's counters to zero after the warm-up")
	return config
}

// SizeFlags defines only the flags that say how much load is made, and --json: for a program that knows which server it
// loads, and how. The measured phase lasts for duration where --seconds is not given.
func SizeFlags(flags *flag.FlagSet, seed uint64, duration time.Duration) *Config {
	config := &Config{
		URLs: []string{DefaultURL}, Duration: duration, Processes: DefaultProcesses,
		Concurrency: DefaultConcurrency, Warmup: DefaultWarmup, Timeout: DefaultTimeout, Seed: seed,
	}
	flags.Var(secondsFlag{&config.Duration}, "seconds", "length of the measured phase in `seconds`")
	flags.IntVar(&config.Processes, "processes", config.Processes, "processes that make the load")
	flags.IntVar(&config.Concurrency, "concurrency", config.Concurrency, "connections of each process")
	flags.IntVar(&config.Warmup, "warmup", config.Warmup, "requests that warm up the server before the measured phase")
	flags.BoolVar(&config.JSON, "json", false, "print the report as JSON")
	return config
}

// Valid returns a usage error for the first value that is out of range. Run asks it too; a caller asks before it
// prepares anything.
func (c Config) Valid() error {
	switch {
	case len(c.URLs) == 0:
		return cli.Usagef("--url is empty; give the address of a server, such as %s", DefaultURL)
	case c.Duration <= 0 || c.Duration > maxSeconds*time.Second:
		return cli.Usagef("--seconds %g is out of range; give more than 0 and at most %d", c.Duration.Seconds(), maxSeconds)
	case c.Processes < 1 || c.Processes > maxProcesses:
		return cli.Usagef("--processes %d is out of range; give 1 to %d", c.Processes, maxProcesses)
	case c.Concurrency < 1 || c.Concurrency > maxConcurrency:
		return cli.Usagef("--concurrency %d is out of range; give 1 to %d", c.Concurrency, maxConcurrency)
	case math.IsNaN(c.Rate) || c.Rate < 0 || c.Rate > maxRate:
		return cli.Usagef("--rate %g is out of range; give 0 (closed loop) to %d requests a second", c.Rate, maxRate)
	case c.Warmup < 0 || c.Warmup > maxWarmup:
		return cli.Usagef("--warmup %d is out of range; give 0 to %d requests", c.Warmup, maxWarmup)
	}
	if _, err := parseURLs(c.URLs); err != nil {
		return cli.Usagef("--url %w", err)
	}
	return nil
}

// urlsFlag collects addresses. The first one given replaces the default.
type urlsFlag struct {
	urls  *[]string
	given bool
}

func (f *urlsFlag) String() string {
	if f.urls == nil {
		return ""
	}
	return strings.Join(*f.urls, ",")
}

func (f *urlsFlag) Set(text string) error {
	if !f.given {
		*f.urls, f.given = nil, true
	}
	for address := range strings.SplitSeq(text, ",") {
		*f.urls = append(*f.urls, strings.TrimSpace(address))
	}
	_, err := parseURLs(*f.urls)
	return err
}

// secondsFlag reads a number of seconds.
type secondsFlag struct{ duration *time.Duration }

func (f secondsFlag) String() string {
	if f.duration == nil {
		return ""
	}
	return fmt.Sprintf("%g", f.duration.Seconds())
}

func (f secondsFlag) Set(text string) error {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(seconds) || math.Abs(seconds) > maxSeconds {
		return fmt.Errorf("%q is not a number of seconds up to %d", text, maxSeconds)
	}
	*f.duration = time.Duration(seconds * float64(time.Second))
	return nil
}
