package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/record"
)

// Experiment is the program of an experiment's step as a person meets it.
type Experiment struct {
	Step   string   // the folder
	Lesson string   // its README.md
	Run    []string // arguments of a short run, for Ran; PREDICT=… is the first
}

// Tells holds the run to what a person sees in it, in this order: the question and the prediction, lines, the
// prediction beside what was measured, and where it is recorded.
func (e Experiment) Tells(t testing.TB, lines ...string) {
	t.Helper()
	run := ran.once(t, e.Run)
	require.Zero(t, run.result.Exit, "exit status; stderr:\n%s", run.result.Stderr)
	printed := run.result.Stdout
	Readable(t, printed)
	made, err := record.Load(run.results, e.Step)
	require.NoError(t, err)
	require.NotNil(t, made.Prediction, "the prediction is recorded")
	predicted := strings.TrimPrefix(e.Run[0], "PREDICT=")
	require.Equal(t, predicted, fmt.Sprint(made.Prediction.Predicted), "what was predicted")
	lesson, err := course.ParseLesson(e.Lesson)
	require.NoError(t, err)
	require.Equal(t, lesson.Predict.Question, made.Prediction.Question, "the lesson and the program ask the same")
	Predicted(t, made, lesson.Predict.Answer)

	unit := lesson.Predict.Unit
	measured := fmt.Sprintf("you predicted %s%s, measured: %.0f%s (", predicted, unit, made.Prediction.Measured, unit)
	inOrder(t, words(printed), slices.Concat(
		[]string{"Predict: " + lesson.Predict.Question, "you say " + predicted, "running the batch", "first the baseline"},
		lines, []string{measured, "why: " + lesson.Predict.Why, "recorded in results/"}))
}

// words is text without its line breaks.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// inOrder holds printed text to the parts, each after the one before.
func inOrder(t testing.TB, printed string, parts []string) {
	t.Helper()
	rest := printed
	for _, part := range parts {
		part = words(part)
		_, after, found := strings.Cut(rest, part)
		require.True(t, found, "%q is missing, or comes too early, in:\n%s", part, printed)
		rest = after
	}
}

// PrintsTheRecordAlone holds the program to --json: stdout is the record, and all that is for people goes to stderr.
func (e Experiment) PrintsTheRecordAlone(t testing.TB) {
	t.Helper()
	program, _ := Ran(t, e.Run...)
	result := program.Run(t, "PREDICT=", "--json", "--seconds", "0.2", "--warmup", "100")
	require.Zero(t, result.Exit, "exit status; stderr:\n%s", result.Stderr)
	var made record.Record
	require.NoError(t, json.Unmarshal([]byte(result.Stdout), &made), "with --json stdout is the record alone")
	kept, err := record.Load(program.Home.Results(), e.Step)
	require.NoError(t, err)
	require.Equal(t, kept.Numbers, made.Numbers, "the record that is printed and the one that is kept")
	require.Nil(t, made.Prediction, "nobody predicted")
	inOrder(t, words(result.Stderr), []string{"Predict: ", "where lookups ended", "measured: "})
}

// NamesABusyPort holds the program to one clear line, and exit status 1, where the API's port is taken.
func (e Experiment) NamesABusyPort(t testing.TB) {
	t.Helper()
	program, _ := Ran(t, e.Run...)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	require.Contains(t, program.Refuse(t, 1, "--port", port), "port "+port+" ")
}

// RefusesWrongUse holds the program to exit status 2 and one clear line for what is out of range or unknown, before
// anything was touched.
func (e Experiment) RefusesWrongUse(t testing.TB) {
	t.Helper()
	program := New(t)
	for _, args := range [][]string{
		{"PREDICT=abc"}, {"PREDICT=101"}, {"LAB_SEED=x"}, {"--seconds", "0"}, {"--seconds", "NaN"}, {"--processes", "0"},
		{"--concurrency", "-1"}, {"--warmup", "-1"}, {"--port", "65536"}, {"--sekonds", "3"}, {"12"},
	} {
		program.Refuse(t, 2, args...)
	}
	entries, err := os.ReadDir(string(program.Home))
	require.NoError(t, err)
	require.Empty(t, entries, "wrong use touches nothing")
}

// Forged are the forgeries that the check of every experiment must find out, and more, those of one alone.
func Forged(more map[string]func(*record.Record)) map[string]func(*record.Record) {
	baseline := func(change func(*lab.Measured)) func(*record.Record) {
		return Remeasured(func(c *lab.Comparison) { change(&c.Baseline) })
	}
	baselineServer := func(change func(*load.Settings)) func(*record.Record) {
		return baseline(func(m *lab.Measured) { change(&m.Report.Servers[0].Settings) })
	}
	all := map[string]func(*record.Record){
		"a run with `failed requests`":                    OfVariant(0, func(m *lab.Measured) { m.Report.Failed = 1 }),
		"a baseline with `failed requests`":               baseline(func(m *lab.Measured) { m.Report.Failed = 3 }),
		"the baseline is of another `build`":              baseline(func(m *lab.Measured) { m.Build = "2026-10-30-00000000" }),
		"the baseline is of another `seed`":               baseline(func(m *lab.Measured) { m.Report.Config.Seed++ }),
		"the baseline is of another `concurrency`":        baseline(func(m *lab.Measured) { m.Report.Config.Concurrency++ }),
		"`baseline: the settings` are not the defaults":   baselineServer(func(s *load.Settings) { s.CacheSize = 0 }),
		"the `settings as the server itself says` differ": OfServer(0, func(s *load.Server) { s.Settings.CacheSize++ }),
		"`the configuration` is another":                  OfVariant(0, func(m *lab.Measured) { m.Name = "DB_BUDGET_MS=1" }),

		"a lookup that ends nowhere: `lookups = bloom_no +`": OfServer(0, func(s *load.Server) { s.DBKeys-- }),
		"`requests of the client and of the server` differ": OfVariant(0, func(m *lab.Measured) {
			report := m.Report
			report.OK, report.Latency.Count = report.OK+1, report.Latency.Count+1
			report.Versions[report.Version]++
			report.Timeline[0].OK++
			report.PerSecond = float64(report.OK) / report.Seconds
		}),
		"the `settings in the record's config` are edited": func(r *record.Record) { delete(r.Config, "server baseline") },
		"the `measurements` are left out":                  func(r *record.Record) { r.Detail = nil },
		"the `measured` number beside a prediction":        func(r *record.Record) { r.Prediction.Measured++ },
	}
	for _, number := range []string{"requests", "db_keys", "cache_hits", "db_share_percent", "baseline_db_reads"} {
		all["the number `"+number+"` is edited"] = func(r *record.Record) { r.Numbers[number]++ }
	}
	maps.Copy(all, more)
	return all
}

// OfVariant is a forgery of one measurement beside the baseline, counted from 0.
func OfVariant(i int, change func(*lab.Measured)) func(*record.Record) {
	return Remeasured(func(c *lab.Comparison) { change(&c.Variants[i]) })
}

// OfServer is a forgery of what the server of that measurement counted.
func OfServer(i int, change func(*load.Server)) func(*record.Record) {
	return OfVariant(i, func(m *lab.Measured) { change(&m.Report.Servers[0]) })
}
