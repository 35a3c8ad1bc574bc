package console_test

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/console"
)

func TestAFileAndAPipeArePlainAndEightyColumnsWide(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	require.NoError(t, err)
	defer file.Close()
	require.Equal(t, console.Style{Width: 80}, console.StyleOf(file))
	require.Equal(t, console.Style{Width: 80}, console.StyleOf(&bytes.Buffer{}))
}

func TestABarFillsItsWidthAndShowsEverySmallPart(t *testing.T) {
	plain := console.Style{Width: 80}
	for name, test := range map[string]struct {
		width  int
		shares []float64
		want   string
	}{
		"a whole":                      {8, []float64{0.5, 0.25, 0.25}, "░░░░▒▒██"},
		"thirds":                       {10, []float64{1.0 / 3, 1.0 / 3, 1.0 / 3}, "░░░▒▒▒▒███"},
		"a part that is nothing":       {4, []float64{0, 0.28, 0.72}, "▒███"},
		"a part of a thousandth":       {8, []float64{0.001, 0.499, 0.5}, "░▒▒▒████"},
		"less than a whole":            {8, []float64{0.25, 0.25}, "░░▒▒"},
		"more than a whole":            {4, []float64{0.9, 0.9, 0.9}, "░░░░"},
		"no room":                      {0, []float64{0.5, 0.5}, ""},
		"less than no room":            {-3, []float64{0.5, 0.5}, ""},
		"shares that are none at all":  {4, []float64{math.NaN(), -1, 1}, "████"},
		"one that is beyond all bound": {4, []float64{math.Inf(1)}, "░░░░"},
	} {
		t.Run(name, func(t *testing.T) {
			looks := []console.Look{console.Light, console.Medium, console.Dark}
			var parts []console.Part
			for i, share := range test.shares {
				parts = append(parts, console.Part{Share: share, Look: looks[i]})
			}
			require.Equal(t, test.want, plain.Bar(test.width, parts...))
			coloured := console.Style{Colour: true, Width: 80}.Bar(test.width, parts...)
			require.Equal(t, test.want, uncoloured(coloured), "colour adds to the glyphs and does not replace them")
		})
	}
}

func TestATableAlignsItsFigures(t *testing.T) {
	table := console.Table([]string{"", "baseline", "DB_DELAY_MS=2\nCACHE_SIZE=0"}, [][]string{
		{"read from db", "25%", "50%"}, {"latency, ms", "0.011", "2.2"},
	})
	require.Equal(t, `              baseline  DB_DELAY_MS=2
                         CACHE_SIZE=0
read from db       25%            50%
latency, ms      0.011            2.2
`, table)
}

func TestLongLinesAreFoldedAtBlanksOnATerminalOnly(t *testing.T) {
	line := "server [2026-10-30] 40,510 lookups: Bloom said no 50%, cache hits 25%, read from db 25%\n"
	var file bytes.Buffer
	_, err := console.Style{Width: 40}.Fold(&file).Write([]byte(line))
	require.NoError(t, err)
	require.Equal(t, line, file.String())

	var screen bytes.Buffer
	out := console.Style{Terminal: true, Width: 40}.Fold(&screen)
	for _, part := range strings.SplitAfter(line, " ") { // however it arrives
		_, err := out.Write([]byte(part))
		require.NoError(t, err)
	}
	require.Equal(t, `server [2026-10-30] 40,510 lookups:
  Bloom said no 50%, cache hits 25%,
  read from db 25%
`, screen.String())
	for line := range strings.Lines(screen.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 40, line)
	}

	t.Run("a word that is longer than the line stays whole", func(t *testing.T) {
		var screen bytes.Buffer
		_, err := console.Style{Terminal: true, Width: 40}.Fold(&screen).Write([]byte("a " + strings.Repeat("x", 60) + "\n"))
		require.NoError(t, err)
		require.Equal(t, "a\n  "+strings.Repeat("x", 60)+"\n", screen.String())
	})
	t.Run("where two blanks reach the edge, the line that goes on begins like any other", func(t *testing.T) {
		var screen bytes.Buffer
		line := "server latency ms: p50 2.922  p99 27.279  max 58.851\n"
		_, err := console.Style{Terminal: true, Width: 40}.Fold(&screen).Write([]byte(line))
		require.NoError(t, err)
		require.Equal(t, "server latency ms: p50 2.922  p99 27.279\n  max 58.851\n", screen.String())
	})
	t.Run("what sets a colour takes no room", func(t *testing.T) {
		var screen bytes.Buffer
		text := strings.Repeat("\x1b[36m░\x1b[0m", 40) + "\n"
		_, err := console.Style{Terminal: true, Width: 40}.Fold(&screen).Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, text, screen.String())
	})
}

func uncoloured(text string) string {
	for _, code := range []string{"\x1b[36m", "\x1b[33m", "\x1b[35m", "\x1b[31m", "\x1b[0m"} {
		text = strings.ReplaceAll(text, code, "")
	}
	return text
}
