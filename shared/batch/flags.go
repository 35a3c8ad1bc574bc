package batch

import (
	"cmp"
	"flag"
	"os"
	"strconv"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/world"
)

// Flags defines the batch's flags and returns what reads them once they are parsed: options that still want Data,
// Program and Out. What cannot be meant is wrong use.
func Flags(flags *flag.FlagSet) (read func() (Options, error)) {
	day := flags.String("day", string(world.FirstDay), "the day to publish")
	threshold := flags.String("threshold", "0.6", "the lowest score that counts as relevant")
	move := flags.Float64("max-move", MaxMove, "how far the row count may move against the live version, as a share")
	force := flags.Bool("force", false, "publish even if the row count moved further")
	seed := flags.String("seed", cmp.Or(os.Getenv("LAB_SEED"), "42"), "the world's seed; LAB_SEED sets the default")
	return func() (Options, error) {
		options := Options{MaxMove: *move, Force: *force}
		var err error
		if options.Day, err = world.ParseDay(*day); err != nil {
			return options, cli.Usagef("--day: %w", err)
		}
		if options.Threshold, err = world.ParseScore(*threshold); err != nil {
			return options, cli.Usagef("--threshold: %w", err)
		}
		if options.Threshold == 0 {
			return options, cli.Usagef("--threshold: 0 would make every pair relevant; give a number above 0 and up to 1")
		}
		if !(*move > 0) {
			return options, cli.Usagef("--max-move: %v is not a share above 0, such as 0.3", *move)
		}
		number, err := strconv.ParseUint(*seed, 10, 64)
		if err != nil {
			return options, cli.Usagef("--seed or LAB_SEED: %q is not a whole number from 0 up", *seed)
		}
		options.World = world.Default(number)
		return options, nil
	}
}
