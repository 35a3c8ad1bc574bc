package suite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json, as go doc test2json describes it.
type event struct {
	Action string
	Test   string
	Output string
}

// longestLine bounds what is kept of a line without an end, and mostLines of what one test printed.
const (
	longestLine = 1 << 20
	mostLines   = 2000
)

// reading takes in what go test prints, line by line, and remembers how each test ended and what it said.
type reading struct {
	rest   []byte
	ended  []event             // of tests, in the order in which they ended
	said   map[string][]string // by test; "" is the package itself
	built  []string            // what the compiler said
	beside []string            // lines that are no events, which the go command writes when it cannot even begin
}

// Write never fails. One goroutine at a time may call it.
func (r *reading) Write(chunk []byte) (int, error) {
	r.rest = append(r.rest, chunk...)
	for {
		line, rest, found := bytes.Cut(r.rest, []byte("\n"))
		if !found {
			break
		}
		r.line(line)
		r.rest = rest
	}
	if len(r.rest) > longestLine {
		r.rest = r.rest[:0]
	}
	return len(chunk), nil
}

func (r *reading) line(line []byte) {
	var e event
	if !bytes.HasPrefix(line, []byte("{")) || json.Unmarshal(line, &e) != nil {
		r.beside = keep(r.beside, string(line))
		return
	}
	switch e.Action {
	case "output":
		if r.said == nil {
			r.said = map[string][]string{}
		}
		r.said[e.Test] = keep(r.said[e.Test], e.Output)
	case "build-output":
		r.built = keep(r.built, e.Output)
	case "pass", "fail", "skip":
		if e.Test != "" {
			r.ended = append(r.ended, e)
		}
	}
}

func keep(lines []string, line string) []string {
	if len(lines) == mostLines {
		return lines
	}
	return append(lines, strings.TrimRight(line, "\r\n"))
}

// end fills in the result when go test has ended with err.
func (r *reading) end(result *Result, err error) {
	for _, test := range r.ended {
		top := !strings.Contains(test.Test, "/")
		switch {
		case top && test.Action == "pass":
			result.Passed++
		case top && test.Action == "skip":
			result.Skipped++
		case top && test.Action == "fail":
			result.Failed++
		}
		if test.Action == "fail" && !r.hasFailedBelow(test.Test) {
			result.Failures = append(result.Failures, Failure{Sentence(test.Test), complaint(r.said[test.Test])})
		}
	}
	switch {
	case result.Failed > 0:
	case err != nil:
		result.Broken = r.broken(err)
	case result.Passed+result.Skipped == 0:
		result.Broken = "it has no checks"
	}
}

// hasFailedBelow tells whether a subtest of the test failed, which then says what is wrong.
func (r *reading) hasFailedBelow(test string) bool {
	return slices.ContainsFunc(r.ended, func(e event) bool {
		return e.Action == "fail" && strings.HasPrefix(e.Test, test+"/")
	})
}

// broken says in one line why go test failed although no test did.
func (r *reading) broken(err error) string {
	for _, found := range []struct {
		what  string
		lines []string
	}{{"it did not build: ", r.built}, {"it ended early: ", r.said[""]}, {"go test says: ", r.beside}} {
		if line := firstLine(found.lines); line != "" {
			return found.what + line
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "go test ended with " + exit.String() + " and said nothing"
	}
	return err.Error()
}

// noise begins the lines that say nothing: of a test's start and end, of a package, of a download.
var noise = regexp.MustCompile(`^\s*(=== |--- |# |ok\s|PASS$|FAIL|exit status |go: downloading |$)`)

func firstLine(lines []string) string {
	for _, line := range lines {
		if !noise.MatchString(line) {
			return short(line)
		}
	}
	return ""
}

// A complaint of testify is a block of labelled lines.
var (
	label    = regexp.MustCompile(`^\s*(Error Trace|Error|Test|Messages):\s*(.*)$`)
	position = regexp.MustCompile(`^\s*([\w.-]+\.go:\d+):\s*(.*)$`)
)

// complaint is the first thing that a test complained about, in one line: where, what that means, and what it is.
func complaint(lines []string) string {
	place, plain, last := "", "", ""
	said := map[string]string{}
	for _, line := range lines {
		if match := position.FindStringSubmatch(line); match != nil {
			if said["Error"] != "" {
				break // the next complaint
			}
			if plain == "" && match[2] != "" { // t.Error, t.Fatal, or a t.Log before them
				plain = match[1] + ": " + match[2]
			}
			place, last = match[1], ""
			continue
		}
		switch match := label.FindStringSubmatch(line); {
		case match != nil:
			last = match[1]
			said[last] = match[2]
		case strings.TrimSpace(line) == "Diff:" || noise.MatchString(line):
			last = ""
		case last != "":
			said[last] += " " + line
		}
	}
	switch {
	case said["Error"] != "" && said["Messages"] != "":
		return short(place + ": " + said["Messages"] + ": " + said["Error"])
	case said["Error"] != "":
		return short(place + ": " + said["Error"])
	case plain != "":
		return short(plain)
	}
	return cmp.Or(firstLine(lines), "it says nothing; see go test")
}

// longest is how many characters of a complaint are told.
const longest = 240

// short makes a line of one space between its words, and not too long.
func short(line string) string {
	runes := []rune(strings.Join(strings.Fields(line), " "))
	if len(runes) > longest {
		return string(runes[:longest]) + " …"
	}
	return string(runes)
}
