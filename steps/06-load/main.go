// Step 06 loads the API as its callers would, and reads off where lookups end and who the bottleneck is. What it
// measures is the baseline that the experiments compare with.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/proc"
)

func main() {
	proc.Dispatch(lab.API(), load.Worker())
	cli.Main(run)
}

func run(ctx context.Context) error {
	seed, err := lab.Seed()
	if err != nil {
		return err
	}
	flags := cli.Flags("Sends the API skewed, realistic load and reports both sides. Without --url it starts its own API.")
	config := load.Flags(flags, seed)
	flags.Lookup("url").DefValue = "" // here the default is a server of the step's own
	if err := errors.Join(cli.Parse(flags), config.Valid()); err != nil {
		return err
	}
	say := io.Writer(os.Stdout)
	if config.JSON {
		say = os.Stderr // stdout holds the report alone
	}
	stage, err := lab.Here()
	if err == nil && !cli.Given(flags, "url") {
		// Nobody named a server, so this step brings its own: a live version, and the API as a process beside it.
		if stage, err = lab.Prepare(ctx, say); err != nil {
			return err
		}
		var server *lab.Server
		if server, err = lab.StartAPI(ctx, nil, say); err != nil {
			return err
		}
		defer server.Stop()
		config.URLs, config.Reset = []string{server.URL}, true
		fmt.Fprintf(say, "the API runs as a process of its own on %s; loading it for %g s\n",
			server.URL, config.Duration.Seconds())
	}
	if err != nil {
		return err
	}

	report, err := load.Run(ctx, *config, os.Stderr)
	if err != nil {
		return err
	}
	err = report.Write(os.Stdout)
	return errors.Join(err, stage.RecordLoad("06-load", config, report), report.Err())
}
