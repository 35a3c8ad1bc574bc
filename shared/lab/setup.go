package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

// Setup is what an experiment's flags and its terminal say.
type Setup struct {
	Load     load.Config
	Port     int       // of the API on 127.0.0.1; 0 takes a free one
	Terminal io.Writer // stdout; stderr under --json
	Say      io.Writer // Terminal, with long lines folded at its edge
}

// ParseSetup parses the flags that all experiments have: --seconds, which is seconds where it is not given,
// --processes, --concurrency, --warmup, --port and --json. about is one sentence for --help.
func ParseSetup(about string, seconds time.Duration) (Setup, error) {
	seed, err := Seed()
	if err != nil {
		return Setup{}, err
	}
	flags := cli.Flags(about)
	config := load.SizeFlags(flags, seed, seconds)
	flags.Lookup("json").Usage = "print the record as JSON, and everything else to stderr"
	port := flags.Int("port", 0, "port of the API on 127.0.0.1; 0 takes a free one")
	if err := errors.Join(cli.Parse(flags), config.Valid()); err != nil {
		return Setup{}, err
	}
	if *port < 0 || *port > 65535 {
		return Setup{}, cli.Usagef("--port %d is out of range; give 0 to 65535", *port)
	}
	config.Reset = true // the server is the experiment's own
	setup := Setup{Load: *config, Port: *port, Terminal: os.Stdout}
	if config.JSON {
		setup.Terminal = os.Stderr // stdout holds the record alone
	}
	setup.Say = console.StyleOf(setup.Terminal).Fold(setup.Terminal)
	return setup, nil
}

// Recorded says where the record is, and prints it where --json asks for it.
func (s Setup) Recorded(made record.Record) error {
	fmt.Fprintf(s.Say, "recorded in results/%s\n", filepath.Base(record.Path("", made.Step)))
	if !s.Load.JSON {
		return nil
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(made)
}
