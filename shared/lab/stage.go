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
	stage.Version, err = stage.published(ctx, out)
	return stage, err
}

// published returns the live version if it will do, and else publishes one that does.
func (s Stage) published(ctx context.Context, out io.Writer) (release.Manifest, error) {
	config, live := world.Default(s.Seed), s.Version
	switch {
	case live.Build == "":
		fmt.Fprintf(out, "no version is live yet; running the batch for %s first\n", world.FirstDay)
	case live.Threshold != Threshold:
		fmt.Fprintf(out, "the live version was cut at threshold %s; running the batch for %s at %s first\n",
			live.Threshold, world.FirstDay, Threshold)
	case live.World != world.New(config, live.Day).Fingerprint():
		fmt.Fprintf(out, "the live version is of another world; running the batch for %s of seed %d first\n",
			world.FirstDay, s.Seed)
	default:
		return live, nil
	}
	return batch.Run(ctx, batch.Options{
		Day: world.FirstDay, Threshold: Threshold, Force: live.Build != "", World: config, Data: s.Home.Data(), Out: out,
		Program: "lab",
	})
}

// Pairs returns the relevant pairs of the live version. The world is a function of seed and day, so they need not be
// read from anywhere: the same arithmetic gives the same pairs.
func (s Stage) Pairs(ctx context.Context) (*batch.Pairs, error) {
	return batch.Score(ctx, world.New(world.Default(s.Seed), s.Version.Day), s.Version.Threshold)
}
