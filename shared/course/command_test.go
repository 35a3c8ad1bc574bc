package course_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/course"
)

func TestACommandIsSplitAsAShellWould(t *testing.T) {
	for line, want := range map[string]course.Command{
		"go run ./steps/06-load": {Args: []string{"go", "run", "./steps/06-load"}},
		"BLOOM=off DB_DELAY_MS=2 go run x --day=1": {
			Env: []string{"BLOOM=off", "DB_DELAY_MS=2"}, Args: []string{"go", "run", "x", "--day=1"}},
		"curl -s h \\\n  -d '{\"asin\": \"B\"}'": {Args: []string{"curl", "-s", "h", "-d", `{"asin": "B"}`}},
		`a "b c" d\ e ''`:                        {Args: []string{"a", "b c", "d e", ""}},
		"a x'y'z\n":                              {Args: []string{"a", "xyz"}},
	} {
		got, err := course.ParseCommand(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
}

func TestACommandThatNeedsAShellIsRefused(t *testing.T) {
	for line, want := range map[string]string{
		"a | b": "uses |", "a && b": "uses &", "a > f": "uses >", "echo $HOME": "uses $", "rm *": "uses *", "a; b": "uses ;",
		"a 'b": "does not end", `a "$x"`: "within double quotes", "": "no command", "A=1": "no command", "a\nb": "more than one line",
	} {
		_, err := course.ParseCommand(line)
		require.ErrorContains(t, err, want, line)
	}
}

func TestPowerShellGetsAFormOfItsOwnWhereItDiffers(t *testing.T) {
	for line, want := range map[string]string{
		"go run ./steps/06-load --seconds 2": "",
		"BLOOM=off go run ./steps/04-api":    "$env:BLOOM=\"off\"; go run ./steps/04-api\nRemove-Item Env:BLOOM",
		"curl -s 127.0.0.1:8000/metrics":     "curl.exe -s 127.0.0.1:8000/metrics",
		`curl -s h -H 'content-type: application/json' -d '{"asin": "B"}'`: `'{"asin": "B"}' | curl.exe -s h ` +
			`-H 'content-type: application/json' -d '@-'`,
	} {
		command, err := course.ParseCommand(line)
		require.NoError(t, err)
		got, differs := command.PowerShell()
		require.Equal(t, want != "", differs, line)
		if differs {
			require.Equal(t, want, got)
		}
	}
}
