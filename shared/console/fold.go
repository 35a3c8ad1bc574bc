package console

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// foldIndent begins what goes on from the line above.
const foldIndent = "  "

// Fold returns a writer to out that breaks lines at the blanks before the terminal's edge, so that words stay whole.
// Where out is no terminal, it is out itself: a line in a file stays one line. What was written last is passed on when
// its line ends.
func (s Style) Fold(out io.Writer) io.Writer {
	if !s.Terminal {
		return out
	}
	return &folder{out: out, width: s.Width}
}

type folder struct {
	out   io.Writer
	width int
	rest  []byte // a line that has not ended
}

func (f *folder) Write(text []byte) (int, error) {
	f.rest = append(f.rest, text...)
	for {
		line, rest, ended := bytes.Cut(f.rest, []byte("\n"))
		if !ended {
			return len(text), nil
		}
		folded := fold(string(line), f.width) + "\n"
		f.rest = append([]byte(nil), rest...)
		if _, err := io.WriteString(f.out, folded); err != nil {
			return len(text), err
		}
	}
}

func fold(line string, width int) string {
	if columns(line) <= width {
		return line
	}
	var folded strings.Builder
	used := 0
	for i, word := range strings.SplitAfter(line, " ") {
		length := columns(strings.TrimRight(word, " "))
		if i > 0 && used+length > width {
			kept := strings.TrimRight(folded.String(), " ")
			folded.Reset()
			folded.WriteString(kept + "\n" + foldIndent)
			used = len(foldIndent)
			word = strings.TrimLeft(word, " ") // of two blanks, the one before the edge is left out too
		}
		folded.WriteString(word)
		used += columns(word)
	}
	return strings.TrimRight(folded.String(), " ")
}

// columns counts what a line takes on a terminal: its characters, without what sets a colour.
func columns(line string) int {
	count := 0
	for {
		before, rest, found := strings.Cut(line, "\x1b[")
		count += utf8.RuneCountInString(before)
		if !found {
			return count
		}
		_, line, _ = strings.Cut(rest, "m")
	}
}
