package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course/coursetest"
)

// made is the Makefile of this checkout in a small checkout, with a go command that only says what it was asked.
func made(t *testing.T, environment []string, args ...string) (stdout string, exit int) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no make here")
	}
	makefile, err := os.ReadFile("../../../Makefile")
	require.NoError(t, err)
	root := coursetest.Checkout(t)
	coursetest.Write(t, root, "Makefile", string(makefile))
	for _, step := range []string{"03-batch", "04-api", "05-load"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, "steps", step), 0o755))
	}
	coursetest.Write(t, root, "bin/go", `#!/bin/sh
case "$*" in
*"--find 99"*) echo "there is no step 99" >&2; exit 1 ;;
*"--find"*) echo 05-load ;;
*"--bad"*) exit 3 ;;
*) printf 'ran:'; printf ' <%s>' "$@"; echo " BLOOM=$BLOOM PORT=$PORT${PREDICT:+ PREDICT=$PREDICT}" ;;
esac
`)
	require.NoError(t, os.Chmod(filepath.Join(root, "bin/go"), 0o755))
	command := exec.Command("make", append([]string{"-C", root, "--no-print-directory"}, args...)...)
	command.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"), "MAKEFLAGS=", "MFLAGS=")
	command.Env = append(command.Env, environment...)
	var out, stderr bytes.Buffer
	command.Stdout, command.Stderr = &out, &stderr
	if err := command.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err, stderr.String())
	}
	return out.String(), command.ProcessState.ExitCode()
}

func TestMakePrintsTheCommandAndRunsIt(t *testing.T) {
	for name, use := range map[string]struct {
		environment, args []string
		want              string
	}{
		"a step":              {nil, []string{"step-5"}, "go run ./steps/05-load\nran: <run> <./steps/05-load> BLOOM= PORT=\n"},
		"a step's arguments":  {nil, []string{"step-5", `ARGS=--a 'b c, d'`}, "go run ./steps/05-load --a 'b c, d'\nran: <run> <./steps/05-load> <--a> <b c, d> BLOOM= PORT=\n"},
		"a prediction before": {[]string{"PREDICT=61"}, []string{"step-5"}, "go run ./steps/05-load\nran: <run> <./steps/05-load> BLOOM= PORT= PREDICT=61\n"},
		"a prediction behind": {nil, []string{"step-5", "PREDICT=61%"}, "go run ./steps/05-load\nran: <run> <./steps/05-load> BLOOM= PORT= PREDICT=61%\n"},
		"the API":             {nil, []string{"api"}, "go run ./steps/04-api\nran: <run> <./steps/04-api> BLOOM= PORT=\n"},
		"settings behind":     {nil, []string{"api", "BLOOM=off", "PORT=8001"}, "go run ./steps/04-api\nran: <run> <./steps/04-api> BLOOM=off PORT=8001\n"},
		"settings before":     {[]string{"BLOOM=off"}, []string{"api"}, "go run ./steps/04-api\nran: <run> <./steps/04-api> BLOOM=off PORT=\n"},
		"the batch":           {nil, []string{"batch"}, "go run ./steps/03-batch --day 2026-10-30\nran: <run> <./steps/03-batch> <--day> <2026-10-30> BLOOM= PORT=\n"},
		"a day that is wrong": {nil, []string{"batch", "DAY=2026-11-01", "THRESHOLD=0.95", "FORCE=1"}, "go run ./steps/03-batch --day 2026-11-01 --threshold 0.95 --force\nran: <run> <./steps/03-batch> <--day> <2026-11-01> <--threshold> <0.95> <--force> BLOOM= PORT=\n"},
		"the load":            {nil, []string{"load", "PORT=8001", "ARGS=--seconds 2"}, "go run ./steps/05-load --url http://127.0.0.1:8001 --reset --seconds 2\nran: <run> <./steps/05-load> <--url> <http://127.0.0.1:8001> <--reset> <--seconds> <2> BLOOM= PORT=8001\n"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, exit := made(t, use.environment, use.args...)
			require.Zero(t, exit)
			require.Equal(t, use.want, stdout)
		})
	}
}

func TestMakeHidesNoFailure(t *testing.T) {
	for _, args := range [][]string{{"step-99"}, {"step-5", "ARGS=--bad"}, {"api", "ARGS=--bad"}, {"load", "ARGS=--bad"}} {
		stdout, exit := made(t, nil, args...)
		require.Equal(t, 2, exit, "make's status for %s; it printed %s", strings.Join(args, " "), stdout)
	}
	makefile, err := os.ReadFile("../../../Makefile")
	require.NoError(t, err)
	require.NotContains(t, string(makefile), "|| true")
	require.NotRegexp(t, `(?m)^\t@?-`, string(makefile), "no recipe line ignores its status")
}
