package weave

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"example.com/relevance-lab/shared/course"
)

// end closes every marker.
const end = "<!-- /weave -->"

// piece is a part of a page: text to keep, or a marker with what stands in its place now.
type piece struct {
	text   string // text to keep; for a marker, what it holds now
	line   int    // of the marker
	marker string // "output"; empty for text
	words  []string
	indent string
	inline bool
	open   string // the marker as written, with its line end
	close  string
	err    error
}

var (
	blockMarker  = regexp.MustCompile(`^([ \t]*)<!-- weave:([a-z]+)((?: [^ <>]+)*) -->[ \t]*$`)
	inlineMarker = regexp.MustCompile(`<!-- weave:(number)((?: [^ <>]+)*) -->(.*?)<!-- /weave -->`)
	likeMarker   = regexp.MustCompile(`<!--\s*/?\s*weave\b.*?(?:-->|$)`)
	fenceLine    = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})[ \t]*([^`]*)$")
	codeSpan     = regexp.MustCompile("`+[^`]*`+")
)

// parse takes a page apart. Joining the text, open and close of all pieces gives the page back.
func parse(page string) (pieces []piece) {
	_, body, first := course.Split(page)
	keep(&pieces, page[:len(page)-len(body)])
	lines := strings.SplitAfter(body, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\n")
		if last := fenceEnd(lines, i); last > i {
			keep(&pieces, strings.Join(lines[i:last+1], ""))
			i = last
			continue
		}
		match := blockMarker.FindStringSubmatch(line)
		if match == nil {
			pieces = append(pieces, inline(lines[i], first+i)...)
			continue
		}
		block := piece{line: first + i, indent: match[1], marker: match[2], words: strings.Fields(match[3]), open: lines[i]}
		last, err := blockEnd(lines, i)
		if err != nil {
			pieces = append(pieces, piece{line: block.line, err: fmt.Errorf("weave:%s: %w", block.marker, err)})
			continue
		}
		if block.marker == "number" {
			block.err = errors.New("weave:number: stands within a line of text, with its " + end + " in the same line")
		}
		block.text, block.close = strings.Join(lines[i+1:last], ""), lines[last]
		pieces = append(pieces, block)
		i = last
	}
	return pieces
}

func keep(pieces *[]piece, text string) {
	if text != "" {
		*pieces = append(*pieces, piece{text: text})
	}
}

// fenceEnd returns the line that closes the fenced block which opens on line i; i itself where none opens there. A
// block that is never closed goes on to the last line, as it does in Markdown.
func fenceEnd(lines []string, i int) int {
	open := fenceLine.FindStringSubmatch(strings.TrimSuffix(lines[i], "\n"))
	if open == nil {
		return i
	}
	for j := i + 1; j < len(lines); j++ {
		text := strings.TrimSpace(lines[j])
		if strings.HasPrefix(text, open[1]) && strings.Trim(text, open[1][:1]) == "" {
			return j
		}
	}
	return len(lines) - 1
}

// blockEnd returns the line that ends the marker on line i.
func blockEnd(lines []string, i int) (int, error) {
	for j := i + 1; j < len(lines); j++ {
		if strings.TrimSpace(lines[j]) == end {
			return j, nil
		}
		if blockMarker.MatchString(strings.TrimSuffix(lines[j], "\n")) {
			break
		}
		j = fenceEnd(lines, j)
	}
	return 0, errors.New("does not end; put a line " + end + " behind it")
}

// inline takes one line apart. Markers in `code` are text about markers.
func inline(line string, number int) (pieces []piece) {
	hidden := codeSpan.ReplaceAllStringFunc(line, func(span string) string { return strings.Repeat("`", len(span)) })
	position := 0
	for _, at := range inlineMarker.FindAllStringSubmatchIndex(hidden, -1) {
		pieces = append(pieces, stray(line[position:at[0]], hidden[position:at[0]], number))
		pieces = append(pieces, piece{
			line: number, marker: "number", words: strings.Fields(line[at[4]:at[5]]), inline: true,
			open: line[at[0]:at[6]], text: line[at[6]:at[7]], close: end,
		})
		position = at[1]
	}
	return append(pieces, stray(line[position:], hidden[position:], number))
}

// stray keeps text, unless it holds something that was meant to be a marker.
func stray(text, hidden string, number int) piece {
	if match := likeMarker.FindString(hidden); match != "" {
		return piece{line: number, err: fmt.Errorf("%s is no marker here; go doc ./shared/weave lists the markers", match)}
	}
	return piece{text: text}
}

// Heading is a heading of a page.
type Heading struct {
	Text string
	Line int
}

// Headings returns the headings of one level (## is 2) that are neither in a fenced block nor in a marker.
func Headings(page string, level int) (headings []Heading) {
	_, body, first := course.Split(page)
	lines := strings.SplitAfter(body, "\n")
	start := strings.Repeat("#", level) + " "
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if blockMarker.MatchString(line) {
			if last, err := blockEnd(lines, i); err == nil {
				i = last
				continue
			}
		}
		if last := fenceEnd(lines, i); last > i {
			i = last
			continue
		}
		if text, found := strings.CutPrefix(line, start); found {
			headings = append(headings, Heading{Text: strings.TrimSpace(text), Line: first + i})
		}
	}
	return headings
}
