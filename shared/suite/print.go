package suite

import (
	"fmt"
	"io"
	"strings"
)

// Write tells the result: one line, and for each failed check what it says and what it complained about.
func (r Result) Write(out io.Writer) {
	fmt.Fprintf(out, "  %-18s %-34s %7.1f s\n", r.Step, r.verdict(), r.Seconds)
	if why := r.Broken + r.Open; why != "" {
		indented(out, "    ", why)
	}
	for _, failure := range r.Failures {
		indented(out, "    failed: ", failure.Sentence)
		indented(out, "      ", failure.Message)
	}
}

func (r Result) verdict() string {
	switch {
	case r.Broken != "":
		return "could not be checked"
	case r.Open != "":
		return "nothing to judge"
	}
	verdict := fmt.Sprintf("%d passed", r.Passed)
	if r.Failed > 0 {
		verdict += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Skipped > 0 {
		verdict += fmt.Sprintf(", %d skipped", r.Skipped)
	}
	return verdict
}

// width is how long a line may get; a longer word stays whole.
const width = 80

// indented writes text in lines of the width. The lines after the first stand below its first word.
func indented(out io.Writer, indent, text string) {
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > width && strings.TrimSpace(line) != "" {
			fmt.Fprintln(out, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len(indent))
		}
		line += word + " "
	}
	fmt.Fprintln(out, strings.TrimRight(line, " "))
}
