package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatReadsWellInAFileIsPlainAndNarrow(t *testing.T) {
	Readable(t, strings.Repeat("█", 80)+"\nserver ["+strings.Repeat("x", 90)+"\n-> no more\ndegraded: "+strings.Repeat("x", 80)+"\n")
	for printed, said := range map[string]string{
		"a bar\r\n":                       `a control character in "a bar\r"`,
		"\x1b[1mloud\x1b[0m":              "a control character",
		"\xff":                            "a control character",
		"\ttab":                           "a control character",
		strings.Repeat("x", 81):           "columns of",
		"x -> " + strings.Repeat("x", 80): "columns of",
		"":                                "empty",
	} {
		f := try(t, "", func(t testing.TB) { Readable(t, printed) })
		require.True(t, f.failed, "%q", printed)
		require.Contains(t, f.said, said)
	}
}
