// Package cli gives every program of the lab the same manners: the first Ctrl-C (or SIGTERM) asks it to finish and a
// second one ends it at once, errors are one line on stderr, and the exit status is 0 for success, 1 for a failure,
// 2 for wrong use and 130 for an interrupted run.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// Exit statuses.
const (
	ExitFailure     = 1
	ExitUsage       = 2
	ExitInterrupted = 130
)

// Main runs a program and exits with its status.
func Main(run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from here on a second signal ends the program
	os.Exit(Report(run(untilGoRunEnds(ctx)), os.Stderr))
}

// Report writes err as one line to stderr and returns the exit status that belongs to it.
func Report(err error, stderr io.Writer) int {
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "interrupted")
		return ExitInterrupted
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, oneLine(err))
		return ExitUsage
	default:
		fmt.Fprintln(stderr, oneLine(err))
		return ExitFailure
	}
}

// oneLine joins what errors.Join put on lines of their own.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// Usagef makes an error that Main reports with exit status 2.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Flags returns an empty flag set for the running program. about is one sentence for --help.
func Flags(about string) *flag.FlagSet {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // Parse reports: once, as one line
	flags.Usage = func() {
		fmt.Fprintf(os.Stdout, "%s\n\nusage: %s [flags]\n", about, name)
		flags.SetOutput(os.Stdout)
		flags.PrintDefaults()
	}
	return flags
}

// Parse parses the program's arguments. Anything it does not know is wrong use; --help prints the flags.
func Parse(flags *flag.FlagSet) error {
	usage := flags.Usage
	flags.Usage = func() {} // flag would print it before each error too
	err := flags.Parse(os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage()
		return err
	case err != nil:
		return Usagef("%v; see --help", err)
	case flags.NArg() > 0:
		return Usagef("unexpected argument %q; see --help", flags.Arg(0))
	}
	return nil
}

// Given tells whether the flag was set on the command line.
func Given(flags *flag.FlagSet, name string) bool {
	given := false
	flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}
