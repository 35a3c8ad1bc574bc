// Step 11 tries to publish broken data while the API serves: the gate refuses it, --force publishes it all the same, and
// a rollback takes it back. After each act the same question is asked, as a caller would.
package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

//go:embed README.md
var lesson string

func main() {
	proc.Dispatch(lab.API(), lab.Batch())
	cli.Main(run)
}

func run(ctx context.Context) (err error) {
	flags := cli.Flags("Tries to publish broken data while the API serves, forces it, and takes it back.")
	threshold := flags.String("threshold", "0.95", "where the broken data is cut; what is live is cut at 0.6")
	port := flags.Int("port", 0, "the `port` of the API, 0 for any free one")
	if err := cli.Parse(flags); err != nil {
		return err
	}
	if *port < 0 || *port > 65535 {
		return cli.Usagef("--port: %d is not between 0 and 65535", *port)
	}
	broken := lab.Publish{Day: "2026-11-01"} // a dataset that shrank overnight
	if broken.Threshold, err = world.ParseScore(*threshold); err != nil || broken.Threshold == 0 {
		return cli.Usagef("--threshold: %q is not a number above 0 and up to 1, such as 0.95", *threshold)
	}
	guess, err := lab.AskFor(ctx, lesson, os.Stdout)
	if err != nil {
		return err
	}

	// The day before is live, and will be live again however this ends. Pinned, it outlasts every publish.
	out := console.StyleOf(os.Stdout).Fold(os.Stdout)
	stage, err := lab.PrepareDay(ctx, "2026-10-31", out)
	if err != nil {
		return err
	}
	pinned, err := release.At(stage.Home.Data()).Pin()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Restore(out), pinned.Close()) }()
	loss, err := stage.Loss(ctx, broken)
	if err != nil {
		return err
	}

	// The API is a process of its own, and runs on from act to act.
	server, err := lab.StartAPI(ctx, []string{fmt.Sprintf("PORT=%d", *port)}, io.Discard)
	if err != nil {
		return err
	}
	defer server.Stop()
	fmt.Fprintf(out, "the API runs as a process of its own on %s\nand is asked about three creatives for product %s\n\n",
		server.URL, loss.Question.ASIN)
	story := &lab.BadPublish{Question: loss.Question, PairsLost: loss.Pairs}
	scene := lab.Scene{Stage: stage, API: lab.Client{URL: server.URL}, Question: loss.Question, Out: out}
	if err := play(ctx, scene, broken, story); err != nil {
		return err
	}
	settings := map[string]any{"broken_day": broken.Day, "broken_threshold": broken.Threshold}
	_, err = stage.RecordGuess("11-bad-publish", settings, story.Numbers(), story, guess)
	if err := errors.Join(err, story.Err()); err != nil {
		return err
	}
	guess.Tell(os.Stdout, story.Numbers())
	return nil
}

// play is the story: what callers get before it, and after each of its three acts.
func play(ctx context.Context, scene lab.Scene, broken lab.Publish, story *lab.BadPublish) (err error) {
	if story.Before, err = scene.Look(ctx); err != nil {
		return err
	}

	fmt.Fprintln(scene.Out, "\nact 1: the gate")
	if story.Exit, story.Said, err = scene.Publish(ctx, broken); err != nil {
		return err
	}
	if story.Refused, err = scene.Look(ctx); err != nil {
		return err
	}
	fmt.Fprintln(scene.Out, story.AfterRefusal())

	fmt.Fprintln(scene.Out, "\nact 2: the same, with --force")
	broken.Force = true
	if story.ForcedExit, _, err = scene.Publish(ctx, broken); err != nil {
		return err
	}
	if story.Forced, err = scene.Look(ctx); err != nil {
		return err
	}
	fmt.Fprintln(scene.Out, story.AfterForce())

	fmt.Fprintln(scene.Out, "\nact 3: the way back")
	if err := scene.Stage.Restore(scene.Out); err != nil {
		return err
	}
	if story.Back, err = scene.Look(ctx); err != nil {
		return err
	}
	fmt.Fprint(scene.Out, story.AfterRollback(), "\n\n")
	return nil
}
