package course

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Problem is one thing that is wrong with a file of the checkout, and what to do about it.
type Problem struct {
	File    string // from the root of the checkout, with forward slashes
	Line    int    // from 1; 0 where the whole file is meant
	Message string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Problems is an error that tells each of its problems on a line of its own.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// asError returns nil where there is no problem: a nil Problems in an error would not be nil.
func (p Problems) asError() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// Tell writes an error of several lines to out and returns summary, one line, in its place. Any other error, also nil
// and an interruption, is returned as it is.
func Tell(err error, out io.Writer, summary string) error {
	if err == nil || errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "\n") {
		return err
	}
	fmt.Fprintln(out, err)
	return errors.New(summary)
}
