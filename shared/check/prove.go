package check

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/suite"
)

// Prove proves that the test which calls it judges well. It runs this very test again, as LAB_CHECK=recorded would,
// over the honest record, which must pass; over no record at all, which must fail; and over each forgery of the honest
// record, which must fail with a sentence on what is wrong. What stands in `backquotes` in a forgery's name must be
// part of what is said. Within such a run, and wherever a reader's own run is judged, Prove does nothing.
func Prove(t testing.TB, honest record.Record, forgeries map[string]func(*record.Record)) {
	t.Helper()
	if judgesOwnRun() {
		return
	}
	before, err := json.Marshal(honest)
	require.NoError(t, err)
	said, passed := judged(t, &honest)
	assert.True(t, passed, "the honest run passes, but:\n%s", said)
	said, passed = judged(t, nil)
	assert.False(t, passed, "without a recorded run it fails, but:\n%s", said)
	assert.Contains(t, said, record.ErrNone.Error(), "without a recorded run it says so")
	for _, name := range slices.Sorted(maps.Keys(forgeries)) {
		var forged record.Record
		require.NoError(t, json.Unmarshal(before, &forged))
		forgeries[name](&forged)
		after, err := json.Marshal(forged)
		require.NoError(t, err)
		if !assert.NotEqual(t, string(before), string(after), "%s: nothing was forged", name) {
			continue
		}
		said, passed := judged(t, &forged)
		if assert.False(t, passed, "%s: it passed", name) {
			assert.Contains(t, said, messages, "%s: it fails and does not tell what is wrong:\n%s", name, said)
		}
		for _, quoted := range backquoted.FindAllStringSubmatch(name, -1) {
			assert.Contains(t, said, quoted[1], "%s: it fails and does not name it", name)
		}
	}
}

// messages is how testify begins the sentence that a requirement carries.
const messages = "Messages:"

var backquoted = regexp.MustCompile("`([^`]+)`")

// judged runs the test again over the record, or over none, and returns what it said and whether it passed.
func judged(t testing.TB, made *record.Record) (said string, passed bool) {
	t.Helper()
	where := home.Home(t.TempDir())
	if made != nil {
		require.NoError(t, made.Save(where.Results()))
	}
	path, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	command := exec.CommandContext(ctx, path, "-test.run="+exactly(t.Name()), "-test.count=1", "-test.v")
	command.Env = append(os.Environ(), suite.RecordedVariable+"="+ownRun, home.Variable+"="+string(where))
	output, err := command.CombinedOutput()
	said = string(output)
	verdict := "--- PASS: " + t.Name()
	if err != nil {
		verdict = "--- FAIL: " + t.Name()
	}
	require.Contains(t, said, verdict, "this test, run again, came to a verdict")
	return said, err == nil
}

// exactly is the pattern for -test.run that matches the test of this name, or subtest, and no other.
func exactly(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.Join(parts, "/")
}

// Remeasured is a forgery of the measurements themselves, with numbers that agree with what was made of them.
func Remeasured(change func(*lab.Comparison)) func(*record.Record) {
	return func(r *record.Record) {
		var c lab.Comparison
		if err := json.Unmarshal(r.Detail, &c); err != nil {
			panic(err)
		}
		change(&c)
		detail, err := json.Marshal(c)
		if err != nil {
			panic(err)
		}
		r.Detail, r.Numbers = detail, c.Numbers()
	}
}
