package cli_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/relevance-lab/shared/cli"
	"github.com/stretchr/testify/require"
)

func TestEveryErrorIsOneLineAndHasItsExitStatus(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		line   string
	}{
		"success":          {nil, 0, ""},
		"asking for help":  {flag.ErrHelp, 0, ""},
		"a failure":        {errors.New("disk full"), 1, "disk full\n"},
		"two failures":     {errors.Join(errors.New("disk full"), errors.New("not removed")), 1, "disk full; not removed\n"},
		"wrong use":        {fmt.Errorf("batch: %w", cli.Usagef("no such day")), 2, "batch: no such day\n"},
		"an interruption":  {fmt.Errorf("load: %w", context.Canceled), 130, "interrupted\n"},
		"a time-out fails": {context.DeadlineExceeded, 1, "context deadline exceeded\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr strings.Builder
			require.Equal(t, c.status, cli.Report(c.err, &stderr))
			require.Equal(t, c.line, stderr.String())
		})
	}
}

func TestWrongArgumentsAreWrongUse(t *testing.T) {
	for name, args := range map[string][]string{
		"an unknown flag":   {"--dya", "2026-10-30"},
		"a stray argument":  {"2026-10-30"},
		"a missing value":   {"--day"},
		"a value of no use": {"--count", "many"},
	} {
		t.Run(name, func(t *testing.T) {
			original := os.Args
			t.Cleanup(func() { os.Args = original })
			os.Args = append([]string{"batch"}, args...)
			flags := cli.Flags("Runs the batch.")
			flags.String("day", "", "")
			flags.Int("count", 1, "")
			err := cli.Parse(flags)
			require.Equal(t, cli.ExitUsage, cli.Report(err, &strings.Builder{}))
			require.ErrorContains(t, err, "see --help")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestHelpPrintsTheFlagsAndAnErrorDoesNot(t *testing.T) {
	for args, want := range map[string]string{"--help": "-day", "--dya": ""} {
		t.Run(args, func(t *testing.T) {
			originalArgs, originalStdout := os.Args, os.Stdout
			t.Cleanup(func() { os.Args, os.Stdout = originalArgs, originalStdout })
			printed, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
			require.NoError(t, err)
			os.Args, os.Stdout = []string{"batch", args}, printed
			flags := cli.Flags("Runs the batch.")
			flags.String("day", "", "the day")
			require.Error(t, cli.Parse(flags))
			text, err := os.ReadFile(printed.Name())
			require.NoError(t, err)
			require.Contains(t, string(text), want)
			require.Equal(t, want == "", len(text) == 0)
		})
	}
}
