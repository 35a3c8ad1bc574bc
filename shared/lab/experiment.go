package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/proc"
)

// Experiment changes something in the server, loads it as the baseline was loaded, and holds the two side by side.
type Experiment struct {
	Step     string                    // the step's folder, "07-no-bloom"
	About    string                    // one sentence, for --help
	Lesson   string                    // the step's README.md, whose front matter holds the question and why
	Variants []Variant                 // what changes; each is measured beside the baseline
	Observe  func(Comparison) []string // sentences on what there is to see, made from what was measured
}

// Variant is one change to the server.
type Variant struct {
	// Key names the variant's numbers in the record: "no_cache" makes no_cache_db_reads. The first one's is empty.
	Key      string
	Settings []string // of the server's environment, such as "BLOOM=off"
}

// Main is the program of an experiment's step: it asks for the prediction, measures, compares and records. It fails
// when a request failed, and tells and records what was measured all the same.
func (e Experiment) Main() {
	proc.Dispatch(API(), load.Worker())
	cli.Main(e.run)
}

func (e Experiment) run(ctx context.Context) error {
	setup, err := ParseSetup(e.About, load.DefaultDuration)
	if err != nil {
		return err
	}
	guess, err := AskFor(ctx, e.Lesson, setup.Terminal)
	if err != nil {
		return err
	}
	stage, err := Prepare(ctx, setup.Say)
	if err != nil {
		return err
	}
	comparison, err := e.Measure(ctx, stage, setup)
	if err != nil {
		return err
	}
	e.tell(comparison, setup)
	numbers := comparison.Numbers()
	guess.Tell(setup.Terminal, numbers)
	made, err := stage.RecordGuess(e.Step, comparison.config(setup.Load), numbers, comparison, guess)
	if err != nil {
		return err
	}
	return errors.Join(setup.Recorded(made), comparison.Err())
}

// Measure measures the baseline, unless a recent one will do, and then each variant, one server after the other.
func (e Experiment) Measure(ctx context.Context, stage Stage, setup Setup) (Comparison, error) {
	if ignored := exported(); len(ignored) > 0 {
		fmt.Fprintf(setup.Say, "ignored in your environment: %s (an experiment sets these itself)\n",
			strings.Join(ignored, " "))
	}
	baseline, err := stage.baseline(ctx, setup)
	if err != nil {
		return Comparison{}, err
	}
	comparison := Comparison{Baseline: baseline}
	for _, variant := range e.Variants {
		fmt.Fprintf(setup.Say, "\nnow with %s\n", strings.Join(variant.Settings, " "))
		measured, err := stage.measure(ctx, variant, setup)
		if err != nil {
			return Comparison{}, err
		}
		comparison.Variants = append(comparison.Variants, measured)
	}
	return comparison, nil
}

func (e Experiment) tell(comparison Comparison, setup Setup) {
	fmt.Fprintf(setup.Terminal, "\n%s\n%s\n", comparison.Table(), comparison.Bars(console.StyleOf(setup.Terminal)))
	for _, sentence := range e.Observe(comparison) {
		fmt.Fprintln(setup.Terminal, wrap(setup.Terminal, arrow+sentence))
	}
}
