package main

import (
	"regexp"
	"strings"
)

// skeleton is what must stay the same from one run of a command to the next: its words and their order, not its
// figures. Figures, dates, builds, hashes and versions become #, alignment and bars become one character, and a line
// that repeats (a progress line) counts once. kept holds, for each line of it, a line of the output as printed.
//
// Names of quantiles stay (p50, p99.9): they say which figure stands there.
func skeleton(output string, cpus ...string) (lines, kept []string) {
	for _, cpu := range cpus {
		if cpu != "" {
			output = strings.ReplaceAll(output, cpu, "<cpu>")
		}
	}
	for line := range strings.SplitSeq(strings.TrimRight(output, "\n"), "\n") {
		masked := mask(line)
		if len(lines) > 0 && lines[len(lines)-1] == masked {
			continue
		}
		lines, kept = append(lines, masked), append(kept, line)
	}
	return lines, kept
}

var quantileName = regexp.MustCompile(`p(99\.99|99\.9|99|95|90|75|50)`)

var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\bgo[0-9]+(\.[0-9]+)+\b`), "go#"},
	{regexp.MustCompile(`\b(linux|darwin|windows)/(amd64|arm64)\b`), "<system>"},
	{regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)`), "#"},
	{regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}(-[0-9a-f]{8})?\b`), "#"},
	{regexp.MustCompile(`\b[0-9a-f]*[0-9][0-9a-f]{7,}\b|\b[0-9a-f]{7,}[0-9][0-9a-f]*\b`), "#"},
	{regexp.MustCompile(`\bv?[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?\b`), "#"},
	{regexp.MustCompile(`([0-9]+(\.[0-9]+)?(h|m|s|ms|µs|us|ns))+\b`), "#"},
	{regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?([eE][+-]?[0-9]+)?`), "#"},
	{regexp.MustCompile(`# ?(ns|µs|μs|us|ms|s|min|h|B|bytes|kB|KB|MB|GB|KiB|MiB|GiB)(\b|$)`), "#"},
	{regexp.MustCompile(`(^|[\s(:=])[-+]#`), "$1#"},
	{regexp.MustCompile(`[─-╿]{2,}|[-=_]{3,}`), "-"},
	{regexp.MustCompile(`[▀-▟]+`), "█"},
	{regexp.MustCompile(`\s+`), " "},
}

func mask(line string) string {
	// Quantile names are hidden from the masks that follow: their digits move to a private range and back.
	line = quantileName.ReplaceAllStringFunc(line, func(name string) string { return strings.Map(hide, name) })
	for _, m := range masks {
		line = m.pattern.ReplaceAllString(line, m.with)
	}
	return strings.TrimSpace(strings.Map(show, line))
}

const private = 0xE000

func hide(char rune) rune {
	if char >= '0' && char <= '9' {
		return private + char
	}
	return char
}

func show(char rune) rune {
	if char >= private+'0' && char <= private+'9' {
		return char - private
	}
	return char
}
