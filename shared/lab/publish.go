package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// Publish is one run of the daily batch, as a person would start it.
type Publish struct {
	Day       world.Day
	Threshold world.Score // zero means the lessons' threshold, which the command leaves out
	Force     bool        // publish even if the row count moved too far
}

// Command is what a person types: "go run ./steps/01-batch --day 2026-11-01 --threshold 0.95".
func (p Publish) Command() string {
	return "go run ./steps/01-batch " + strings.Join(p.args(), " ")
}

func (p Publish) args() []string {
	args := []string{"--day", string(p.Day)}
	if p.threshold() != Threshold {
		args = append(args, "--threshold", p.Threshold.String())
	}
	if p.Force {
		args = append(args, "--force")
	}
	return args
}

func (p Publish) threshold() world.Score { return cmp.Or(p.Threshold, Threshold) }

// Batch is the role in which a step's program runs the daily batch as a process of its own: with the flags of
// steps/01-batch, its lines on stdout, a refusal as one line on stderr, and its exit status. It leaves step 01's
// recorded run alone, which is the reader's own.
func Batch() proc.Role {
	return proc.Role{Name: "batch", Run: func(ctx context.Context, _ []string) error {
		flags := cli.Flags("Scores the pairs of a day and publishes them as one version.")
		read := batch.Flags(flags)
		if err := cli.Parse(flags); err != nil {
			return err
		}
		options, err := read()
		if err != nil {
			return err
		}
		where, err := home.Find()
		if err != nil {
			return err
		}
		options.Data, options.Program, options.Out = where.Data(), "lab", os.Stdout
		_, err = batch.Run(ctx, options)
		return err
	}}
}

// Publish runs the batch as a process of its own in the stage's folders and returns its exit status: 0 when the version
// is live, 1 when the gate refused it. Everything that the batch prints goes to out. It fails when the batch could not
// be run, was ended by a signal, or ctx ended; by then the batch has ended too, and the live version is a whole one. The
// program's main must have dispatched the Batch role.
func (s Stage) Publish(ctx context.Context, p Publish, out io.Writer) (exit int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	printed := &struct{ io.Writer }{out} // one writer that can be compared, so that both streams keep their order
	environment := []string{home.Variable + "=" + string(s.Home), fmt.Sprintf("%s=%d", SeedVariable, s.Seed)}
	process, err := proc.Start("batch", p.args(), environment, printed, printed)
	if err != nil {
		return 0, err
	}
	select {
	case <-process.Done():
	case <-ctx.Done():
		process.Stop()
		return 0, ctx.Err()
	}
	err = process.Wait()
	var status *exec.ExitError
	if errors.As(err, &status) && status.Exited() {
		return status.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("the batch for %s: %w", p.Day, err)
	}
	return 0, nil
}

// Restore makes the stage's version live again, as make rollback does, and tells on out the command and what it says.
// Where the version is live already it does nothing.
func (s Stage) Restore(out io.Writer) error {
	versions := release.At(s.Home.Data())
	live, err := versions.Current()
	if err == nil && live.Build == s.Version.Build {
		return nil
	}
	fmt.Fprintf(out, "$ go run ./shared/cmd/rollback%s\n", s.target(versions, live))
	back, err := versions.Rollback(s.Version.Build)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, back)
	return nil
}

// target is the flag that a rollback to the stage's version needs: none where that is the last build published before
// the live one.
func (s Stage) target(versions release.Dir, live release.Manifest) string {
	if builds, err := versions.Builds(); err == nil {
		at := slices.IndexFunc(builds, func(m release.Manifest) bool { return m.Build == live.Build })
		if at >= 0 && at+1 < len(builds) && builds[at+1].Build == s.Version.Build {
			return ""
		}
	}
	return " --to " + s.Version.Build
}
