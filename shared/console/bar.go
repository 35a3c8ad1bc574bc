package console

import (
	"math"
	"strings"
)

// Part is a part of a bar: its share of the whole, from 0 to 1, and the look that tells it from the others.
type Part struct {
	Share float64
	Look  Look
}

// Look is how a part of a bar is drawn. Looks differ in their glyph as well as in their colour.
type Look struct {
	glyph  rune
	colour string // of ANSI, between \x1b[ and m
}

// The looks, from the lightest glyph to the darkest.
var (
	Light  = Look{'░', "36"} // cyan
	Medium = Look{'▒', "33"} // yellow
	Dark   = Look{'█', "35"} // magenta
	Alarm  = Look{'▓', "31"} // red
)

// Bar draws the parts side by side, width columns for a share of 1. A part that is above zero gets at least one column
// where there is room for it, and parts that make a whole fill the width. A width below 1 draws nothing.
func (s Style) Bar(width int, parts ...Part) string {
	var bar strings.Builder
	for i, columns := range divide(width, parts) {
		bar.WriteString(s.paint(parts[i].Look, strings.Repeat(string(parts[i].Look.glyph), columns)))
	}
	return bar.String()
}

// Sample is one column of a look, for a legend.
func (s Style) Sample(look Look) string { return s.paint(look, string(look.glyph)) }

func (s Style) paint(look Look, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\x1b[" + look.colour + "m" + text + "\x1b[0m"
}

// divide gives each part its columns. Rounding is of the running sum, so that errors do not add up.
func divide(width int, parts []Part) []int {
	width = max(0, width)
	columns := make([]int, len(parts))
	sum, used := 0.0, 0
	for i, part := range parts {
		if math.IsNaN(part.Share) || part.Share <= 0 {
			continue
		}
		sum = min(1, sum+part.Share)
		columns[i] = min(width-used, max(1, int(math.Round(sum*float64(width)))-used))
		used += columns[i]
	}
	return columns
}
