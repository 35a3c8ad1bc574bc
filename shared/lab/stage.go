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

// Stage is what a step stands on: the folders, the seed, and a live version of that seed's world.
type Stage struct {
	Home    home.Home
	Seed    uint64
	Version release.Manifest
}

// Prepare finds the folders and the seed and makes sure that a version of the seed's world is live, cut at the
// lessons' threshold. Where none is, it runs the batch for the first day and says so on out.
func Prepare(ctx context.Context, out io.Writer) (Stage, error) {
	seed, err := Seed()
	if err != nil {
		return Stage{}, err
	}
	where, err := home.Find()
	if err != nil {
		return Stage{}, err
	}
	version, err := published(ctx, where, seed, out)
	return Stage{Home: where, Seed: seed, Version: version}, err
}

func published(ctx context.Context, where home.Home, seed uint64, out io.Writer) (release.Manifest, error) {
	config := world.Default(seed)
	live, err := release.At(where.Data()).Current()
	switch {
	case errors.Is(err, release.ErrNoVersion):
		fmt.Fprintf(out, "no version is live yet; running the batch for %s first\n", world.FirstDay)
	case err != nil:
		return release.Manifest{}, err
	case live.Threshold != Threshold:
		fmt.Fprintf(out, "the live version was cut at threshold %s; running the batch for %s at %s first\n",
			live.Threshold, world.FirstDay, Threshold)
	case live.World != world.New(config, live.Day).Fingerprint():
		fmt.Fprintf(out, "the live version is of another world; running the batch for %s of seed %d first\n", world.FirstDay, seed)
	default:
		return live, nil
	}
	haveLive := err == nil
	return batch.Run(ctx, batch.Options{
		Day: world.FirstDay, Threshold: Threshold, Force: haveLive, World: config, Data: where.Data(), Out: out,
		Program: "go run ./steps/01-batch",
	})
}

// Pairs returns the relevant pairs of the live version. The world is a function of seed and day, so they need not be
// read from anywhere: the same arithmetic gives the same pairs.
func (s Stage) Pairs(ctx context.Context) (*batch.Pairs, error) {
	return batch.Score(ctx, world.New(world.Default(s.Seed), s.Version.Day), s.Version.Threshold)
}
