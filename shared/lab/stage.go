package lab

import (
	"context"
	"errors"
	"fmt"
	"io"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// Threshold is the score from which a pair is relevant in the lessons: 0.6.
const Threshold world.Score = 600

// Stage is what a step stands on: the folders, the seed, and the live version, which is the zero Manifest where none is.
type Stage struct {
	Home    home.Home
	Seed    uint64
	Version release.Manifest
}

// Here finds the folders, the seed and the live version and changes nothing: for a step that asks a server which
// somebody else runs.
func Here() (Stage, error) {
	seed, err := Seed()
	if err != nil {
		return Stage{}, err
	}
	where, err := home.Find()
	if err != nil {
		return Stage{}, err
	}
	version, err := release.At(where.Data()).Current()
	if errors.Is(err, release.ErrNoVersion) {
		err = nil
	}
	return Stage{Home: where, Seed: seed, Version: version}, err
}

// Prepare finds the folders and the seed and makes sure that a version of the seed's world is live, cut at the
// lessons' threshold. Where none is, it runs the batch for the first day and says so on out.
func Prepare(ctx context.Context, out io.Writer) (Stage, error) {
	stage, err := Here()
	if err != nil {
		return Stage{}, err
	}
	reason := stage.unfit()
	if reason == "" {
		return stage, nil
	}
	fmt.Fprintf(out, "%s; running the batch for %s first\n", reason, world.FirstDay)
	stage.Version, err = stage.publish(ctx, world.FirstDay, out)
	return stage, err
}

// PrepareDay finds the folders and the seed and makes the day the live version, of the seed's world and cut at the
// lessons' threshold. Where another version is live it runs the batch for the day and says so on out; content that is
// stored already is only pointed at.
func PrepareDay(ctx context.Context, day world.Day, out io.Writer) (Stage, error) {
	stage, err := Here()
	if err != nil {
		return Stage{}, err
	}
	switch reason := stage.unfit(); {
	case reason != "":
		fmt.Fprintf(out, "%s; running the batch for %s first\n", reason, day)
	case stage.Version.Day != day:
		fmt.Fprintf(out, "the live version is %s; running the batch for %s first\n", stage.Version.Day, day)
	default:
		return stage, nil
	}
	stage.Version, err = stage.publish(ctx, day, out)
	return stage, err
}

// unfit says why the live version will not do, or nothing.
func (s Stage) unfit() string {
	switch live := s.Version; {
	case live.Build == "":
		return "no version is live yet"
	case live.Threshold != Threshold:
		return fmt.Sprintf("the live version was cut at threshold %s and not at %s", live.Threshold, Threshold)
	case live.World != world.New(world.Default(s.Seed), live.Day).Fingerprint():
		return fmt.Sprintf("the live version is of another world than seed %d", s.Seed)
	}
	return ""
}

// publish runs the batch for the day in this process. The row count may move as far as it will: what was live is not
// what the step stands on.
func (s Stage) publish(ctx context.Context, day world.Day, out io.Writer) (release.Manifest, error) {
	return batch.Run(ctx, batch.Options{
		Day: day, Threshold: Threshold, Force: s.Version.Build != "", World: world.Default(s.Seed), Data: s.Home.Data(),
		Out: out, Program: "lab",
	})
}

// Pairs returns the relevant pairs of the live version. The world is a function of seed and day, so they need not be
// read from anywhere: the same arithmetic gives the same pairs.
func (s Stage) Pairs(ctx context.Context) (*batch.Pairs, error) {
	return batch.Score(ctx, world.New(world.Default(s.Seed), s.Version.Day), s.Version.Threshold)
}
