package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/course/coursetest"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/record"
	"example.com/relevance-lab/shared/suite"
)

func TestMain(m *testing.M) { check.Main(m, main) }

// The checks of small steps, which build in a moment.
const (
	header  = "package main\n\nimport \"testing\"\n\n"
	passing = header + "func TestTheSumIsRight(t *testing.T) {}\n\nfunc TestTheSkyIsBlue(t *testing.T) {}\n"
	failing = header + "func TestTheSumIsRight(t *testing.T) {}\n\n" +
		"func TestTheSeaIsBlue(t *testing.T) { t.Fatal(\"it is green\") }\n"
	broken = header + "func TestTheSumIsRight(t *testing.T) { nobody() }\n"
)

// small makes a checkout with two steps of part 1, whose checks are those given, and works in it.
func small(t *testing.T, first, second string) {
	t.Helper()
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "steps/01-hello/check_test.go", first)
	coursetest.Write(t, root, "steps/02-serve/check_test.go", second)
	t.Setenv("GOWORK", "") // the one of the small checkout
	t.Chdir(root)
}

func TestWhatPassesAndWhichPartsAreMissingIsSaid(t *testing.T) {
	small(t, passing, passing)
	program := check.New(t)
	printed := program.Succeed(t)
	require.Regexp(t, `(?m)^Part 1 · On your laptop\n  01-hello +2 passed +\d+\.\d s\n  02-serve +2 passed +\d+\.\d s\n`+
		`Part 2 · The garbage collector: no step of it is in this checkout yet\n`+
		`Part 3 · On AWS: no step of it is in this checkout yet\n4 passed, 0 failed in \d+ s$`, printed)
	made, err := record.Load(program.Home.Results(), self)
	require.NoError(t, err)
	require.Equal(t, 4.0, made.Numbers["laptop_checks"])
}

func TestACheckThatFailsIsShownAsASentenceWithItsFirstComplaint(t *testing.T) {
	small(t, failing, passing)
	result := check.New(t).Run(t)
	require.Equal(t, 1, result.Exit)
	require.Regexp(t, `(?m)^  01-hello +1 passed, 1 failed .*\n    failed: The sea is blue\n`+
		`      check_test\.go:7: it is green\n  02-serve +2 passed `, result.Stdout)
	require.Contains(t, result.Stdout, "\n3 passed, 1 failed in ")
	require.Equal(t, "1 check failed; see above\n", result.Stderr)
}

func TestAStepThatDoesNotBuildIsToldApartFromOneThatFails(t *testing.T) {
	small(t, broken, failing)
	result := check.New(t).Run(t)
	require.Equal(t, 1, result.Exit)
	require.Regexp(t, `(?m)^  01-hello +could not be checked .*\n`+
		`    it did not build: \./check_test\.go:5:\d+: undefined: nobody\n`, result.Stdout)
	require.Equal(t, "1 check failed, and 1 step could not be checked; see above\n", result.Stderr)
}

func TestOneStepIsCheckedByItselfAndLeavesTheRecordOfAllAlone(t *testing.T) {
	small(t, passing, broken)
	program := check.New(t)
	printed := program.Succeed(t, "--step", "1")
	require.Contains(t, printed, "01-hello")
	require.NotContains(t, printed, "02-serve")
	require.NotContains(t, printed, "Part 2")
	require.NoDirExists(t, program.Home.Results())
}

func TestAStepOfAnotherPartIsNoneOfThem(t *testing.T) {
	small(t, passing, passing)
	coursetest.Edit(t, ".", "steps/02-serve/README.md", "part: 1", "part: 4")
	program := check.New(t)
	require.NotContains(t, program.Succeed(t), "02-serve")
	for _, args := range [][]string{
		{"--step", "2"}, {"--step", "9"}, {"--step", "1,"}, {"--stop", "1"}, {"1"}, {"PREDICT=many"},
	} {
		program.Refuse(t, 2, args...)
	}
}

func TestOwnRunsAreJudgedWithoutRunningAnything(t *testing.T) {
	small(t, header+`var check recorder

type recorder struct{}

func (recorder) Recorded(t *testing.T) { t.Log("as package check does") }

func TestTheRunIsGood(t *testing.T) { check.Recorded(t) }

func TestTheProgramRuns(t *testing.T) { t.Fatal("nobody asked for that") }
`, passing)
	program := check.New(t)
	result := program.Run(t, "--recorded")
	require.Equal(t, 1, result.Exit, "nothing judged is no success")
	require.Contains(t, result.Stdout, "no recorded run yet; make one with: go run ./steps/01-hello\n")

	coursetest.Write(t, string(program.Home), "results/step-01.json", "{}")
	printed := program.Succeed(t, "--recorded")
	require.Regexp(t, `  01-hello +1 passed .*\n  02-serve +nothing to judge .*\n`+
		`    none of its checks judges a recorded run\n`, printed)
	require.NoFileExists(t, record.Path(program.Home.Results(), self))
}

func TestWithoutAGoCommandItSaysWhatToInstall(t *testing.T) {
	small(t, passing, passing)
	require.Contains(t, check.New(t).Refuse(t, 1, "PATH="+t.TempDir()), "there is no go command on the PATH")
}

func TestNoCheckOutlivesIt(t *testing.T) {
	small(t, `package main

import (
	"os"
	"os/signal"
	"strconv"
	"testing"
)

func TestItNeverEnds(t *testing.T) {
	signal.Ignore(os.Interrupt)
	if os.WriteFile("pid.tmp", []byte(strconv.Itoa(os.Getpid())), 0o644) != nil || os.Rename("pid.tmp", "pid") != nil {
		t.Fatal("it cannot say who it is")
	}
	select {}
}
`, passing)
	program := check.New(t)
	command := exec.Command(program.Path)
	command.Env = append(os.Environ(), "LAB_CHECK_STEP=1", home.Variable+"="+string(program.Home))
	require.NoError(t, command.Start())
	pid := filepath.Join("steps", "01-hello", "pid")
	require.Eventually(t, func() bool { _, err := os.Stat(pid); return err == nil }, time.Minute, 10*time.Millisecond)
	require.NoError(t, command.Process.Kill(), "it gets no chance to tidy up")
	_ = command.Wait() // says that it was killed

	number, err := strconv.Atoi(coursetest.Read(t, ".", "steps/01-hello/pid"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		exists, err := process.PidExists(int32(number))
		return err == nil && !exists
	}, 5*time.Second, 10*time.Millisecond, "process %d is still there", number)
}

func TestARecordedRunPassedEveryCheckOfEveryStep(t *testing.T) {
	if os.Getenv(suite.RecordedVariable) != "recorded" {
		small(t, passing, passing)
	}
	honest := check.Recorded(t, self)
	judge(t, honest)
	check.Prove(t, honest, map[string]func(*record.Record){
		"a check failed": again(func(r suite.Results) { r[0].Passed, r[0].Failed = 1, 1 }),
		"a step did not build": again(func(r suite.Results) {
			r[1] = suite.Result{Step: r[1].Step, Part: 1, Broken: "it did not build: x"}
		}),
		"a step is missing":       again(func(r suite.Results) { r[1] = r[0] }),
		"a step had no checks":    again(func(r suite.Results) { r[0].Passed = 0 }),
		"`passed`":                func(r *record.Record) { r.Numbers["passed"]++ },
		"`laptop_checks`":         func(r *record.Record) { r.Numbers["laptop_checks"] = 100 },
		"numbers without results": func(r *record.Record) { r.Detail = nil },
	})
}

// judge holds a recorded run to the steps of this checkout, and its numbers to its results.
func judge(t *testing.T, made record.Record) {
	t.Helper()
	var results suite.Results
	require.NoError(t, json.Unmarshal(made.Detail, &results), "the result of each step is part of the record")
	require.NoError(t, results.Err(), "every check passed")
	for name, want := range results.Numbers() {
		require.Equal(t, want, made.Numbers[name], "%s, as the results add up to", name)
	}
	checked := map[string]int{}
	for _, result := range results {
		checked[result.Step] = result.Passed
	}
	root, err := home.Checkout()
	require.NoError(t, err)
	steps, err := suite.Choose(root, "", lastPart, self)
	require.NoError(t, err)
	for _, step := range steps {
		require.Positive(t, checked[step.Folder], "checks of %s that passed; run this step again", step.Folder)
	}
}

// again is a forgery of the results themselves, with numbers that fit.
func again(change func(suite.Results)) func(*record.Record) {
	return func(r *record.Record) {
		var results suite.Results
		if err := json.Unmarshal(r.Detail, &results); err != nil {
			panic(err)
		}
		change(results)
		r.Detail, _ = json.Marshal(results)
		r.Numbers = results.Numbers()
	}
}
