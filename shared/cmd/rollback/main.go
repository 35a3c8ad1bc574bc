// Rollback makes an older build the live one: the last one published before it, or the one that --to names. A running
// API follows by itself.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/release"
)

func main() { cli.Main(run) }

func run(context.Context) error {
	flags := cli.Flags("Makes an older build the live one.")
	to := flags.String("to", "", "the `build`, or its day; the default is the last build published before the live one")
	if err := cli.Parse(flags); err != nil {
		return err
	}
	at, err := home.Find()
	if err != nil {
		return err
	}
	live, err := release.At(at.Data()).Rollback(*to)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(console.StyleOf(os.Stdout).Fold(os.Stdout), live)
	return err
}
