package load

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
)

func parsed(t *testing.T, args ...string) (*Config, error) {
	t.Helper()
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	config := Flags(flags, 42)
	return config, flags.Parse(args)
}

func TestWithoutFlagsTheConfigurationIsTheLessons(t *testing.T) {
	config, err := parsed(t)
	require.NoError(t, err)
	assert.Equal(t, &Config{
		URLs: []string{"http://127.0.0.1:8000"}, Duration: 12 * time.Second, Processes: 2, Concurrency: 32,
		Warmup: 60_000, Timeout: 5 * time.Second, Seed: 42,
	}, config)
	assert.NoError(t, config.Valid())
}

func TestFlagsFillTheConfiguration(t *testing.T) {
	config, err := parsed(t, "--url", "http://a:1,http://b:2", "--url=https://c", "--seconds", "2.5", "--processes", "3",
		"--concurrency", "7", "--rate", "1000", "--warmup", "0", "--reset", "--json")
	require.NoError(t, err)
	assert.Equal(t, &Config{
		URLs: []string{"http://a:1", "http://b:2", "https://c"}, Duration: 2500 * time.Millisecond, Processes: 3,
		Concurrency: 7, Rate: 1000, Reset: true, JSON: true, Timeout: 5 * time.Second, Seed: 42,
	}, config)
	assert.NoError(t, config.Valid())
}

func TestAFlagThatMakesNoSenseIsWrongUseAndNamesItself(t *testing.T) {
	for _, args := range [][]string{
		{"--seconds", "0"}, {"--seconds", "-3"}, {"--processes", "0"}, {"--processes", "1000"}, {"--concurrency", "0"},
		{"--concurrency", "99999"}, {"--rate", "-1"}, {"--rate", "NaN"}, {"--rate", "1e12"}, {"--warmup", "-1"},
	} {
		config, err := parsed(t, args...)
		require.NoError(t, err)
		_, err = Run(t.Context(), *config, io.Discard)
		require.ErrorContains(t, err, args[0], "%v", args)
		assert.Equal(t, cli.ExitUsage, cli.Report(err, io.Discard))
		assert.NotContains(t, err.Error(), "\n")
	}
}

func TestAFlagThatCannotBeReadIsRefused(t *testing.T) {
	for _, args := range [][]string{
		{"--seconds", "x"}, {"--seconds", "12s"}, {"--seconds", "NaN"}, {"--seconds", "1e99"}, {"--seconds", ""}, {"--url", ""},
		{"--url", "localhost:8000"}, {"--url", "ftp://host"}, {"--url", "http://"}, {"--url", "http://a,,http://b"},
		{"--rate", "fast"}, {"--processes", "1.5"},
	} {
		_, err := parsed(t, args...)
		assert.Error(t, err, "%v", args)
	}
}
