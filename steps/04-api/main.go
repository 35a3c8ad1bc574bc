// 04-api serves the live version: one product and some candidate creatives in, a score per creative out. It watches for
// the next version and swaps to it while it serves.
//
// BLOOM=off, CACHE_SIZE=0, DB_DELAY_MS=2 and DB_BUDGET_MS=50 change one thing each; the experiments are made of them.
package main

import (
	"context"
	"errors"
	"os"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
)

func main() { cli.Main(run) }

func run(ctx context.Context) error {
	config, err := parse()
	if err != nil {
		return err
	}

	// The versions lie in data/, at the root of the checkout.
	at, err := home.Find()
	if err != nil {
		return err
	}

	// Run binds the port, loads the live version, and answers until Ctrl-C. Then the requests in flight end first.
	versions := release.At(at.Data())
	if err := service.Run(ctx, config, versions, os.Stdout); err != nil {
		return err
	}

	// It ended well, so the step is done: the record says which version was live then.
	live, err := versions.Current()
	if errors.Is(err, release.ErrNoVersion) {
		return nil
	}
	if err != nil {
		return err
	}
	made, err := record.New("04-api", map[string]any{"version": live.Day, "build": live.Build, "seed": live.Seed},
		map[string]float64{"rows": float64(live.Rows)}, nil)
	if err != nil {
		return err
	}
	return made.Save(at.Results())
}

// parse reads the environment, then the flags, which win.
func parse() (service.Config, error) {
	config, err := service.ConfigFromEnv()
	if err != nil {
		return config, err
	}
	flags := cli.Flags("Serves relevance scores over HTTP. " +
		"Settings: BLOOM=on|off CACHE_SIZE DB_DELAY_MS DB_BUDGET_MS PORT HOST.")
	flags.StringVar(&config.Host, "host", config.Host, "the address to bind; HOST sets the default")
	flags.IntVar(&config.Port, "port", config.Port, "the port to bind, 0 for any free one; PORT sets the default")
	if err := cli.Parse(flags); err != nil {
		return config, err
	}
	if config.Port < 0 || config.Port > 65535 {
		return config, cli.Usagef("--port: %d is not between 0 and 65535", config.Port)
	}
	return config, nil
}
