// Package console lays out what a person reads: tables, bars and long lines, in one look for all steps.
//
// What it makes is plain text. On a terminal it may be coloured and is folded at the terminal's width; in a pipe or a
// file, under NO_COLOR and on a dumb terminal it holds no control character at all, and says the same: no meaning
// rests on colour.
package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// PlainWidth is the width, in columns, of what is laid out for anything but a terminal.
const PlainWidth = 80

// narrowest is the least width that is laid out for; a terminal that is narrower wraps by itself.
const narrowest = 40

// Style is what an output can show.
type Style struct {
	Terminal bool
	Colour   bool
	Width    int // columns
}

// StyleOf finds out what out can show. Colour takes a terminal, no NO_COLOR (whatever its value, unless it is empty)
// and a TERM other than dumb.
func StyleOf(out io.Writer) Style {
	style := Style{Width: PlainWidth}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return style
	}
	style.Terminal = true
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		style.Width = max(narrowest, width)
	}
	style.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && canColour(file)
	return style
}
