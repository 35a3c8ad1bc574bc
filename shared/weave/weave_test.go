package weave_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/weave"
)

const lesson = "steps/01-hello/README.md"

// recorded is a checkout whose steps have records.
func recorded(t *testing.T) (root string) {
	t.Helper()
	root = coursetest.Checkout(t)
	c := read(t, root)
	first := course.Reference{Schema: course.ReferenceSchema,
		Numbers: map[string]float64{"rows": 276536, "share": 0.497, "p50_ms": 59.128, "tiny": 0.000123},
		Runs: []course.Recorded{
			{ID: "plain", Command: "go run ./steps/01-hello", Output: "[2026-10-30] wrote 276,536 rows in 0.8s\n"},
			{ID: "refused", Command: "go run ./steps/01-hello --day 2026-10-31 --refuse", Exit: 3, Output: "refusing\nexit status 3\n",
				Numbers: map[string]float64{"rows": 1}},
		}}
	require.NoError(t, first.Save(c.Steps[0]))
	second := course.Reference{Schema: course.ReferenceSchema, Runs: []course.Recorded{
		{ID: "serve", Command: "BLOOM=off go run ./steps/02-serve", Output: "listening on http://127.0.0.1:8000\n"}}}
	require.NoError(t, second.Save(c.Steps[1]))
	return root
}

func read(t *testing.T, root string) *course.Course {
	t.Helper()
	c, err := course.Read(root)
	require.NoError(t, err)
	return c
}

// woven weaves body in place of the first lesson's body and returns what became of it.
func woven(t *testing.T, root, body string) (string, error) {
	t.Helper()
	text := coursetest.Read(t, root, lesson)
	matter := text[:strings.Index(text, "\n---\n")+5]
	coursetest.Write(t, root, lesson, matter+body)
	c := read(t, root)
	pages, err := weave.Lesson(c, c.Steps[0])
	if err != nil {
		return "", err
	}
	require.Len(t, pages, 1)
	return strings.TrimPrefix(string(pages[0].Text), matter), nil
}

func TestEveryMarkerIsFilledFromItsSource(t *testing.T) {
	for marker, want := range map[string]string{
		"weave:command plain":   "```sh\nmake step-1\n```\n\nThe same without make:\n\n```sh\ngo run ./steps/01-hello\n```\n",
		"weave:command refused": "```sh\ngo run ./steps/01-hello --day 2026-10-31 --refuse\n```\n",
		"weave:command 02/serve": "On macOS and Linux:\n\n```sh\nBLOOM=off go run ./steps/02-serve\n```\n\nOn Windows, in PowerShell:\n\n" +
			"```powershell\n$env:BLOOM=\"off\"; go run ./steps/02-serve\nRemove-Item Env:BLOOM\n```\n",
		"weave:output plain":    "```console\n$ go run ./steps/01-hello\n[2026-10-30] wrote 276,536 rows in 0.8s\n```\n",
		"weave:output 02/serve": "```console\n$ BLOOM=off go run ./steps/02-serve\nlistening on http://127.0.0.1:8000\n```\n",
		"weave:code shared/shared.go Rows": "```go\n// Rows is how many rows a version has.\nconst Rows = 276536\n```\n\n" +
			"[shared/shared.go:4](../../shared/shared.go#L4)\n",
		"weave:code shared/shared.go MaxCreatives": "```go\n// Limits of a request.\nconst (\n\tMinCreatives = 1\n" +
			"\tMaxCreatives = 500 // of one request\n)\n```\n\n[shared/shared.go:7](../../shared/shared.go#L7)\n",
		"weave:code shared/shared.go Box": "```go\n// Box holds a value.\ntype Box[T any] struct {\n\tValue T\n}\n```\n\n" +
			"[shared/shared.go:13](../../shared/shared.go#L13)\n",
		"weave:code shared/shared.go Box.Get": "```go\n// Get returns the value.\nfunc (b *Box[T]) Get() T { return b.Value }\n```\n\n" +
			"[shared/shared.go:18](../../shared/shared.go#L18)\n",
		"weave:code shared/shared.go Get": "```go\nfunc Get() int { return Rows } // not the method\n```\n\n" +
			"[shared/shared.go:21](../../shared/shared.go#L21)\n",
		"weave:code shared/go.mod": "```\nmodule example.com/relevance-lab/shared\n\ngo 1.26.0\n```\n\n[shared/go.mod:1](../../shared/go.mod#L1)\n",
		"weave:steps": "**Part 1 · On your laptop**\n\n| step | what it does | minutes | disk | needs |\n|---|---|--:|--:|---|\n" +
			"| [01-hello](../../steps/01-hello) | Hello | 5 | 1 MB | Go |\n| [02-serve](../../steps/02-serve) | Serve \\| ask | 5 | 1 MB | Go |\n",
	} {
		t.Run(marker, func(t *testing.T) {
			got, err := woven(t, recorded(t), "before\n<!-- "+marker+" -->\nold\n<!-- /weave -->\nafter\n")
			require.NoError(t, err)
			require.Equal(t, "before\n<!-- "+marker+" -->\n"+want+"<!-- /weave -->\nafter\n", got)
		})
	}
}

func TestARegionIsCutWithoutItsMarkersAndItsIndentation(t *testing.T) {
	got, err := woven(t, recorded(t), "<!-- weave:code steps/01-hello/main.go #record -->\n<!-- /weave -->\n")
	require.NoError(t, err)
	require.Contains(t, got, "```go\nrecord := `{")
	require.Contains(t, got, "\n\tpanic(err)\n}\n```\n")
	require.NotContains(t, got, "weave:begin")
	got, err = woven(t, recorded(t), "<!-- weave:code steps/01-hello/main.go save -->\n<!-- /weave -->\n")
	require.NoError(t, err)
	require.Contains(t, got, "func save() {")
	require.NotContains(t, got, "weave:begin", "the markers of regions within are not shown either")
}

func TestNumbersAreWovenIntoTheLine(t *testing.T) {
	for marker, want := range map[string]string{
		"01 rows": "276,536", "01/refused rows": "1", "01 share": "0.497", "01 share percent": "50%", "01 p50_ms": "59.1",
		"01 p50_ms .2": "59.13", "01 p50_ms comma": "59", "01 tiny": "0.000123", "01 rows .1": "276,536.0",
	} {
		got, err := woven(t, recorded(t), "a <!-- weave:number "+marker+" -->?<!-- /weave --> b <!-- weave:number 01 rows --><!-- /weave -->\n")
		require.NoError(t, err)
		require.Equal(t, "a <!-- weave:number "+marker+" -->"+want+"<!-- /weave --> b <!-- weave:number 01 rows -->276,536<!-- /weave -->\n", got)
	}
}

func TestABlockInAListKeepsItsIndentation(t *testing.T) {
	got, err := woven(t, recorded(t), "1. x\n\n   <!-- weave:output plain -->\n   ```console\n   old\n   ```\n   <!-- /weave -->\n")
	require.NoError(t, err)
	require.Contains(t, got, "   ```console\n   $ go run ./steps/01-hello\n   [2026")
}

func TestOutputThatHoldsAFenceGetsALongerOne(t *testing.T) {
	root := recorded(t)
	coursetest.Edit(t, root, "steps/01-hello/reference.json", "wrote", "```")
	got, err := woven(t, root, "<!-- weave:output plain -->\n<!-- /weave -->\n")
	require.NoError(t, err)
	require.Contains(t, got, "````console\n")
	again, err := woven(t, root, got)
	require.NoError(t, err)
	require.Equal(t, got, again)
}

func TestMarkersWithinWovenCodeAreCode(t *testing.T) {
	root := recorded(t)
	coursetest.Write(t, root, "example.sh", "cat <<.\n<!-- weave:steps -->\n<!-- weave:output x -->\n.\n")
	got, err := woven(t, root, "<!-- weave:code example.sh -->\n<!-- /weave -->\n")
	require.NoError(t, err)
	require.Contains(t, got, "```sh\ncat <<.\n<!-- weave:steps -->\n")
	again, err := woven(t, root, got)
	require.NoError(t, err)
	require.Equal(t, got, again)

	coursetest.Write(t, root, "example.sh", "<!-- /weave -->\n")
	_, err = woven(t, root, "<!-- weave:code example.sh -->\n<!-- /weave -->\n")
	require.ErrorContains(t, err, "holds the text <!-- /weave --> itself")
}

func TestWhatOnlyLooksLikeAMarkerIsLeftAlone(t *testing.T) {
	body := "Write `<!-- weave:output publish -->` or `<!-- weave:number 1 x -->1<!-- /weave -->`.\n\n" +
		"```sh\n<!-- weave:nonsense -->\n```\n\n~~~\n```\n<!-- weave:output -->\n~~~\n<!-- an ordinary comment -->\n"
	got, err := woven(t, recorded(t), body)
	require.NoError(t, err)
	require.Equal(t, body, got)
}

func TestAFaultyMarkerIsToldWithFileAndLine(t *testing.T) {
	const region = "weave:code steps/01-hello/main.go #"
	for marker, want := range map[string]string{
		"weave:picture x":                     "there is no such marker",
		"weave:output":                        "takes the id of one run",
		"weave:output nothing":                "declares no run nothing",
		"weave:output 07/plain":               "there is no step 07",
		"weave:output 02/again":               "is not recorded yet; record it with: make reference STEP=2",
		"weave:code shared/nothing.go":        "there is no file shared/nothing.go",
		"weave:code shared/shared.go Nothing": "declares no Nothing",
		"weave:code shared/shared.go Box.Set": "declares no Box.Set",
		"weave:code shared/go.mod Rows":       "names are for Go files",
		"weave:code ../secret":                "is not a path from the root",
		"weave:code /etc/passwd":              "is not a path from the root",
		region + "nothing":                    "no comment weave:begin nothing",
		"weave:number 01 rows":                "stands within a line of text",
		"weave:steps all":                     "takes no words",
	} {
		t.Run(marker, func(t *testing.T) {
			_, err := woven(t, recorded(t), "\n<!-- "+marker+" -->\n<!-- /weave -->\n")
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, lesson+":24: weave:")
		})
	}
	for line, want := range map[string]string{
		"<!-- weave:output plain -->":                              "does not end",
		"<!-- weave:output plain -->\n<!-- weave:output plain -->": "does not end",
		"<!-- /weave -->":                                          "is no marker here",
		"<!--weave:output plain-->":                                "is no marker here",
		"text <!-- weave:output plain --> text":                    "is no marker here",
		"x <!-- weave:number 01 rows -->1":                         "is no marker here",
		"x <!-- weave:number 01 nothing -->1<!-- /weave -->":       "has no number nothing; it has p50_ms, rows, share, tiny",
		"x <!-- weave:number 09 rows -->1<!-- /weave -->":          "there is no step 09",
		"x <!-- weave:number 01/no rows -->1<!-- /weave -->":       "has no run no",
		"x <!-- weave:number 01 rows hex -->1<!-- /weave -->":      `there is no form "hex"`,
		"x <!-- weave:number rows -->1<!-- /weave -->":             "takes a step",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := woven(t, recorded(t), "\n"+line+"\n")
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, lesson+":24: ")
		})
	}
}

func TestRegionsThatAreNotWholeAreRefused(t *testing.T) {
	for name, fault := range map[string]struct{ old, new, want string }{
		"no end":        {"\t// weave:end record\n", "", "begins in line 37 and does not end"},
		"no begin":      {"\t// weave:begin record\n", "", "ends in line 41 and does not begin"},
		"begun twice":   {"func main() {", "// weave:begin record\nfunc main() {", "begins twice, in lines 14 and 38"},
		"nothing in it": {"func main() {", "// weave:begin empty\n// weave:end empty\nfunc main() {", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			root := recorded(t)
			coursetest.Edit(t, root, "steps/01-hello/main.go", fault.old, fault.new)
			region := "record"
			if strings.Contains(fault.new, "empty") {
				region = "empty"
			}
			_, err := woven(t, root, "<!-- weave:code steps/01-hello/main.go #"+region+" -->\n<!-- /weave -->\n")
			require.ErrorContains(t, err, fault.want)
		})
	}
}

func TestARunThatWasRecordedWithAnotherCommandIsRefused(t *testing.T) {
	root := recorded(t)
	coursetest.Edit(t, root, lesson, "command: go run ./steps/01-hello\n", "command: go run ./steps/01-hello --day 2026-10-29\n")
	c := read(t, root)
	_, err := weave.Lesson(c, c.Steps[0])
	require.ErrorContains(t, err, "was recorded with another command; record it with: make reference STEP=1")
}

func TestAllPagesAreWovenAndStaleOnesToldByLine(t *testing.T) {
	root := recorded(t)
	pages, err := weave.All(read(t, root))
	require.NoError(t, err)
	require.Len(t, pages, 3)
	require.Equal(t, "README.md", pages[0].File)
	require.Equal(t, []int{3}, pages[0].Stale)
	require.Contains(t, string(pages[0].Text), "| [01-hello](steps/01-hello) |", "links start at the page")
	for _, page := range pages {
		require.NoError(t, page.Save())
	}

	pages, err = weave.All(read(t, root))
	require.NoError(t, err)
	for _, page := range pages {
		require.Empty(t, page.Stale, "%s is as it was just woven", page.File)
		require.Equal(t, coursetest.Read(t, root, page.File), string(page.Text))
	}

	coursetest.Edit(t, root, "steps/01-hello/main.go", "panic(err)\n\t}\n\t// weave:end", "panic(\"changed\")\n\t}\n\t// weave:end")
	coursetest.Edit(t, root, "steps/01-hello/reference.json", "0.8s", "0.9s")
	pages, err = weave.All(read(t, root))
	require.NoError(t, err)
	text := strings.Split(coursetest.Read(t, root, lesson), "\n")
	require.Len(t, pages[1].Stale, 2)
	require.Equal(t, "<!-- weave:output plain -->", text[pages[1].Stale[0]-1])
	require.Equal(t, "<!-- weave:code steps/01-hello/main.go #record -->", text[pages[1].Stale[1]-1])
}

func TestOneFaultyPageKeepsAllFromBeingWoven(t *testing.T) {
	root := recorded(t)
	coursetest.Edit(t, root, "steps/02-serve/README.md", "weave:output serve", "weave:output nothing")
	pages, err := weave.All(read(t, root))
	require.ErrorContains(t, err, "steps/02-serve/README.md:")
	require.Empty(t, pages)
}

func TestAPageOutsideStepsNamesTheStepOfARun(t *testing.T) {
	root := recorded(t)
	coursetest.Write(t, root, "CONTRIBUTING.md", "<!-- weave:output plain -->\n<!-- /weave -->\n")
	_, err := weave.All(read(t, root))
	require.ErrorContains(t, err, "CONTRIBUTING.md:1: weave:output: this page is no step's lesson; write the step too, such as 01/plain")
	coursetest.Edit(t, root, "CONTRIBUTING.md", "output plain", "output 01/plain")
	_, err = weave.All(read(t, root))
	require.NoError(t, err)
}
