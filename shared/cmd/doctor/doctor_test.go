package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
	"example.com/relevance-lab/shared/home"
)

var errAbsent = errors.New("not there")

// complete is a machine that lacks nothing.
func complete() machine {
	return machine{
		os: "linux", home: "/home/ada/relevance-lab", user: "/home/ada",
		getenv: func(string) string { return "" },
		find:   func(string) error { return nil },
		run: func(_ context.Context, args ...string) (string, error) {
			return map[string]string{"gcc": "gcc 12\nmore", "java": "openjdk version \"25.0.1\" 2025-10-21", "sqlite3": "3.46.0 2024"}[args[0]], nil
		},
		goEnv: func(context.Context) (map[string]string, error) {
			return map[string]string{"GOVERSION": "go1.26.8", "CGO_ENABLED": "1", "CC": "gcc", "GOPROXY": "https://proxy.golang.org,direct"}, nil
		},
		freeDisk: func(string) (uint64, error) { return 5 << 30, nil },
		listen:   func(string) error { return nil },
		exists:   func(path string) bool { return strings.HasSuffix(path, "credentials") },
		writable: func(string) error { return nil },
		kernel:   func() string { return "Linux version 6" },
	}
}

// with sets one of the go command's settings.
func with(m *machine, name, value string) {
	env, _ := m.goEnv(context.Background())
	env[name] = value
	m.goEnv = func(context.Context) (map[string]string, error) { return env, nil }
}

func diagnosis(t *testing.T, m machine) (said string, err error) {
	t.Helper()
	steps := &course.Course{Steps: []course.Step{
		{Folder: "01-batch", Lesson: course.Lesson{Needs: []string{"go"}}},
		{Folder: "13-collectors", Lesson: course.Lesson{Needs: []string{"go", "java"}}},
	}}
	var out strings.Builder
	err = report(examine(t.Context(), m), steps, &out)
	return out.String(), err
}

func TestAMachineThatLacksNothingIsFine(t *testing.T) {
	said, err := diagnosis(t, complete())
	require.NoError(t, err)
	require.NotContains(t, said, "->")
	require.Contains(t, said, "all that the laptop part needs is there")
	require.NotContains(t, said, "needed by")
}

func TestWhatTheLaptopPartLacksFailsWithItsRemedy(t *testing.T) {
	for name, fault := range map[string]struct {
		spoil func(*machine)
		lacks string
		want  string
	}{
		"an old Go":         {func(m *machine) { with(m, "GOVERSION", "go1.25.3") }, "Go", "https://go.dev/dl/"},
		"no Go":             {func(m *machine) { m.goEnv = func(context.Context) (map[string]string, error) { return nil, errAbsent } }, "Go", "https://go.dev/dl/"},
		"-mod=mod":          {func(m *machine) { with(m, "GOFLAGS", "-v -mod=mod") }, "GOFLAGS", "unset GOFLAGS"},
		"modules off":       {func(m *machine) { with(m, "GO111MODULE", "off") }, "GO111MODULE", "unset GO111MODULE"},
		"workspace off":     {func(m *machine) { with(m, "GOWORK", "off") }, "GOWORK", "unset GOWORK"},
		"a broken compiler": {func(m *machine) { m.run = func(context.Context, ...string) (string, error) { return "", errAbsent } }, "C compiler", "CGO_ENABLED=0"},
		"a full disk":       {func(m *machine) { m.freeDisk = func(string) (uint64, error) { return 1 << 20, nil } }, "disk", "free 1.0 GiB"},
		"a read-only home":  {func(m *machine) { m.writable = func(string) error { return errAbsent } }, "data folder", "set LAB_HOME"},
	} {
		t.Run(name, func(t *testing.T) {
			m := complete()
			fault.spoil(&m)
			said, err := diagnosis(t, m)
			require.EqualError(t, err, "the laptop part lacks: "+fault.lacks)
			require.Regexp(t, `(?m)^missing +`+fault.lacks+` `, said)
			require.Contains(t, said, fault.want)
		})
	}
}

func TestWhatOnlySomeStepsNeedDoesNotFail(t *testing.T) {
	for name, fault := range map[string]struct {
		spoil func(*machine)
		want  []string
	}{
		"no compiler": {func(m *machine) { with(m, "CGO_ENABLED", "0") }, []string{"note     C compiler", "apt install gcc"}},
		"old Java": {func(m *machine) {
			run := m.run
			m.run = func(ctx context.Context, args ...string) (string, error) {
				if args[0] == "java" {
					return `openjdk version "17.0.15"`, nil
				}
				return run(ctx, args...)
			}
		}, []string{"absent   Java", "is too old", "adoptium", "needed by 13-collectors"}},
		"a busy port":      {func(m *machine) { m.listen = func(string) error { return errAbsent } }, []string{"note     port 8000", "make api PORT=8001"}},
		"no browser":       {func(m *machine) { m.find = func(string) error { return errAbsent } }, []string{"absent   Chromium", "no step of this checkout needs it", "note     curl"}},
		"no credentials":   {func(m *machine) { m.exists = func(string) bool { return false } }, []string{"absent   AWS credentials", "rehearsed"}},
		"a proxy":          {func(m *machine) { with(m, "GOPROXY", "https://proxy.corp") }, []string{"note     GOPROXY", "https://proxy.corp"}},
		"no proxy":         {func(m *machine) { with(m, "GOPROXY", "off") }, []string{"note     GOPROXY", "cache only"}},
		"Windows":          {func(m *machine) { m.os = "windows" }, []string{"note     Windows", "virus scanner", "WSL"}},
		"a slow WSL mount": {func(m *machine) { m.kernel = func() string { return "Linux Microsoft" }; m.home = "/mnt/c/lab" }, []string{"note     WSL"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := complete()
			fault.spoil(&m)
			said, err := diagnosis(t, m)
			require.NoError(t, err)
			for _, want := range fault.want {
				require.Contains(t, said, want)
			}
		})
	}
}

func TestThePortThatIsAskedForIsLookedAt(t *testing.T) {
	m := complete()
	m.getenv = func(name string) string { return map[string]string{"PORT": "8001"}[name] }
	var asked string
	m.listen = func(port string) error { asked = port; return nil }
	said, err := diagnosis(t, m)
	require.NoError(t, err)
	require.Equal(t, "8001", asked)
	require.Contains(t, said, "port 8001")
}

func TestThisMachineCanBeExamined(t *testing.T) {
	for _, name := range goSettings {
		t.Setenv("DOCTOR_"+name, "")
	}
	t.Setenv("DOCTOR", "1")
	t.Setenv("DOCTOR_GOWORK", "off")
	where := home.Home(t.TempDir())
	var out strings.Builder
	err := report(examine(t.Context(), thisMachine(where)), &course.Course{}, &out)
	require.EqualError(t, err, "the laptop part lacks: GOWORK", "it sees the person's own settings; it said:\n%s", out.String())
	require.Contains(t, out.String(), "ok       Go ")
}
