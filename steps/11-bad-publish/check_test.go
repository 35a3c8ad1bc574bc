package main

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

const (
	step = "11-bad-publish"

	good, broken    world.Day   = "2026-10-31", "2026-11-01"
	brokenThreshold world.Score = 950

	refusal = `(?m)^refusing to publish: row count moved 98% \([\d,]+ -> [\d,]+\); ` +
		`rerun with --force if that is expected\nexit status 1$`
)

func TestMain(m *testing.M) { check.Main(m, main) }

func TestTheGateRefusesForceInsistsAndARollbackTakesItBack(t *testing.T) {
	program, result := check.Ran(t)
	require.Zero(t, result.Exit, result.Stderr)
	before, acts := told(t, result.Stdout)
	require.Contains(t, before, "/healthz: version 2026-10-31 ")
	answer := line(t, before, `{"version":"2026-10-31",`)

	t.Run("the batch is refused with exit status 1, and the live version does not move", func(t *testing.T) {
		require.Contains(t, acts[0], "$ go run ./steps/01-batch --day 2026-11-01 --threshold 0.95\n")
		require.Regexp(t, refusal, acts[0])
		require.Contains(t, acts[0], "/healthz: version 2026-10-31 ")
		require.Equal(t, answer, line(t, acts[0], `{"version":`))
		require.Contains(t, acts[0], "-> nothing moved: ")
	})
	t.Run("with force it is published, the API follows, and the scores are gone", func(t *testing.T) {
		require.Contains(t, acts[1], "$ go run ./steps/01-batch --day 2026-11-01 --threshold 0.95 --force\n")
		require.Contains(t, acts[1], "validation overridden by --force: ")
		require.NotContains(t, acts[1], "exit status")
		require.Contains(t, acts[1], "/healthz: version 2026-11-01 ")
		require.Regexp(t, `^{"version":"2026-11-01","scores":{("cr-\d+":0\.0,?){3}}}$`, line(t, acts[1], `{"version":`))
		require.Contains(t, acts[1], "-> 3 of these 3 scores are gone")
	})
	t.Run("the rollback brings the version and the answer back", func(t *testing.T) {
		require.Contains(t, acts[2], "$ go run ./shared/cmd/rollback\n"+
			"rolled back: current.json now points at version 2026-10-31 ")
		require.Contains(t, acts[2], "/healthz: version 2026-10-31 ")
		require.Equal(t, answer, line(t, acts[2], `{"version":`))
	})
	t.Run("afterwards 2026-10-31 is live, and the broken build lies beside it", func(t *testing.T) {
		require.Equal(t, good, live(t, program).Day)
		builds, err := release.At(program.Home.Data()).Builds()
		require.NoError(t, err)
		require.Equal(t, broken, builds[0].Day)
	})
	t.Run("the run is recorded", func(t *testing.T) {
		made, err := record.Load(program.Home.Results(), step)
		require.NoError(t, err)
		judge(t, made)
	})
}

func TestItEndsTheSameWhateverWasLive(t *testing.T) {
	program := check.New(t)
	for _, first := range []batch.Options{
		{Day: world.FirstDay, Threshold: lab.Threshold},
		{Day: good, Threshold: lab.Threshold},
		{Day: broken, Threshold: brokenThreshold},
		{Day: broken, Threshold: lab.Threshold},
	} {
		first.World, first.Data, first.Force = world.Default(lab.DefaultSeed), program.Home.Data(), true
		first.Out, first.Program = io.Discard, "check"
		_, err := batch.Run(t.Context(), first)
		require.NoError(t, err)
		_, acts := told(t, program.Succeed(t))
		require.Regexp(t, refusal, acts[0])
		require.Contains(t, acts[2], "-> the build from before is live again")
		require.Equal(t, good, live(t, program).Day)
	}
}

func TestDataThatTheGateLetsThroughIsNoSuccessAndIsTakenBackToo(t *testing.T) {
	program := check.New(t)
	result := program.Run(t, "--threshold", "0.62")
	require.Equal(t, 1, result.Exit)
	require.Contains(t, result.Stdout, "-> the gate let it through: version 2026-11-01 is live")
	require.Contains(t, result.Stderr, "the gate let the broken data through")
	require.Equal(t, 1, strings.Count(result.Stderr, "\n"), "an error is one line")
	require.Equal(t, good, live(t, program).Day)
}

func TestAnInterruptionWhileTheBrokenVersionIsLiveTakesItBack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("one process cannot press Ctrl-C for another here")
	}
	program := check.New(t)
	command := exec.Command(program.Path)
	command.Env = append(os.Environ(), "LAB_HOME="+string(program.Home), "LAB_CHECK_STEP=1")
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	interrupted := false
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.Contains(lines.Text(), "published: current.json now points at version 2026-11-01") {
			interrupted = true
			require.NoError(t, command.Process.Signal(os.Interrupt))
		}
	}
	require.Error(t, command.Wait())
	require.True(t, interrupted)
	require.Equal(t, 130, command.ProcessState.ExitCode())
	require.Equal(t, good, live(t, program).Day)
	publisher, err := release.At(program.Home.Data()).Lock()
	require.NoError(t, err, "no batch is left at work")
	require.NoError(t, publisher.Close())
}

func TestAWrongFlagIsWrongUse(t *testing.T) {
	program := check.New(t)
	for _, args := range [][]string{
		{"--threshold", "0"}, {"--threshold", "1.5"}, {"--threshold", "NaN"}, {"--threshold", "0.9501"}, {"--port", "-1"},
		{"--port", "65536"}, {"--treshold", "0.9"}, {"2026-11-01"}, {"LAB_SEED=x"}, {"PREDICT=many"},
	} {
		program.Refuse(t, 2, args...)
	}
	entries, err := os.ReadDir(string(program.Home))
	require.NoError(t, err)
	require.Empty(t, entries, "wrong use touches nothing")
}

func TestARecordedRunTellsTheWholeStory(t *testing.T) {
	honest := check.Recorded(t, step)
	judge(t, honest)
	check.Prove(t, honest, map[string]func(*record.Record){
		"the batch went through": retell(func(story *lab.BadPublish) { story.Exit = 0 }),
		"the live version moved": retell(func(story *lab.BadPublish) { story.Refused.Live = story.Forced.Live }),
		"a build was left":       retell(func(story *lab.BadPublish) { story.Refused.Builds = append(story.Refused.Builds, "x") }),
		"no scores were lost":    retell(func(story *lab.BadPublish) { story.Forced.Answer = story.Before.Answer }),
		"it was not taken back":  retell(func(story *lab.BadPublish) { story.Back = story.Forced }),
		"a score that is not the world's": retell(func(story *lab.BadPublish) {
			answer := strings.Replace(story.Before.Answer, ":0.9", ":0.8", 1)
			story.Before.Answer, story.Refused.Answer, story.Back.Answer = answer, answer, answer
		}),
		"another row count everywhere": retell(func(story *lab.BadPublish) {
			story.Said = strings.ReplaceAll(story.Said, "6,215", "6,216")
			story.Forced.Rows = 6216
		}),
		"`rows_refused`":          func(r *record.Record) { r.Numbers["rows_refused"]++ },
		"`moved_percent`":         func(r *record.Record) { r.Numbers["moved_percent"] = 42 },
		"`exit_status`":           func(r *record.Record) { r.Numbers["exit_status"] = 0 },
		"another threshold":       func(r *record.Record) { r.Config["broken_threshold"] = 0.7 },
		"another day":             func(r *record.Record) { r.Config["version"] = "2026-10-30" },
		"numbers without a story": func(r *record.Record) { r.Detail = nil },
	})
}

// judge holds a recorded run to the story and to the world of its seed, and its numbers to both.
func judge(t *testing.T, made record.Record) {
	t.Helper()
	require.EqualValues(t, good, made.Config["version"], "the version that is live in the story")
	require.EqualValues(t, broken, made.Config["broken_day"], "the day that is broken")
	require.EqualValues(t, brokenThreshold.Float(), made.Config["broken_threshold"], "where it was cut")
	var story lab.BadPublish
	require.NoError(t, json.Unmarshal(made.Detail, &story), "the story is part of the record")
	require.NoError(t, story.Err(), "the story came out as told")
	for name, want := range story.Numbers() {
		require.Equal(t, want, made.Numbers[name], "%s, as the story tells it", name)
	}

	seed, ok := made.Config["seed"].(float64)
	require.True(t, ok, "the seed is recorded")
	config := world.Default(uint64(seed))
	before, err := batch.Score(t.Context(), world.New(config, good), lab.Threshold)
	require.NoError(t, err)
	after, err := batch.Score(t.Context(), world.New(config, broken), brokenThreshold)
	require.NoError(t, err)
	rows, left := float64(before.Len()), float64(after.Len())
	require.Equal(t, rows, made.Numbers["rows_live"], "rows of the live version")
	require.Equal(t, left, made.Numbers["rows_refused"], "rows that were refused")
	require.Equal(t, left, made.Numbers["rows_forced"], "rows that were published with --force")
	require.Equal(t, math.Round(100*(rows-left)/rows), made.Numbers["moved_percent"], "how far the row count moved")
	require.Equal(t, answered(t, before, story.Question), story.Before.Answer, "the world's scores of the live version")
	require.Equal(t, answered(t, after, story.Question), story.Forced.Answer, "the world's scores of the broken version")
}

// retell is a forgery of the story itself, with numbers that fit.
func retell(change func(*lab.BadPublish)) func(*record.Record) {
	return func(r *record.Record) {
		var story lab.BadPublish
		if err := json.Unmarshal(r.Detail, &story); err != nil {
			panic(err)
		}
		change(&story)
		r.Detail, _ = json.Marshal(story)
		r.Numbers = story.Numbers()
	}
}

// answered is what the API has to say, as text, in the world of pairs.
func answered(t *testing.T, pairs *batch.Pairs, question lab.Question) string {
	t.Helper()
	scores := map[string]world.Score{}
	for row := range pairs.Rows() {
		if row.ASIN == question.ASIN {
			scores[row.Creative] = row.Score
		}
	}
	var listed []string
	for _, creative := range question.Creatives {
		listed = append(listed, `"`+creative+`":`+scores[creative].String())
	}
	return `{"version":"` + string(pairs.World().Day()) + `","scores":{` + strings.Join(listed, ",") + `}}`
}

// told cuts what was printed into what came before the acts, and the three acts.
func told(t *testing.T, printed string) (before string, acts []string) {
	t.Helper()
	before, rest, found := strings.Cut(printed, "\nact 1: ")
	require.True(t, found, printed)
	first, rest, found := strings.Cut(rest, "\nact 2: ")
	require.True(t, found, printed)
	second, third, found := strings.Cut(rest, "\nact 3: ")
	require.True(t, found, printed)
	return before, []string{first, second, third}
}

func line(t *testing.T, text, start string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	require.Fail(t, "no line starts with "+start, text)
	return ""
}

func live(t *testing.T, program check.Program) release.Manifest {
	t.Helper()
	build, err := release.At(program.Home.Data()).Pin()
	require.NoError(t, err, "what is live is whole")
	defer build.Close()
	return build.Manifest
}
