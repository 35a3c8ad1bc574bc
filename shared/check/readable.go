package check

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// columns is how wide a line may be.
const columns = 80

// wide begin the lines of a load's report that may be wider. On a terminal they are folded. The last two are there only
// on a machine with too much to do.
var wide = []string{"server [", "Little's law: ", "  -> ", "degraded: ", "new connections: "}

// Readable holds what a program printed into a file or a pipe to what reads well there: no control characters, and no
// line wider than 80 columns but for the widest of a load's report.
func Readable(t testing.TB, printed string) {
	t.Helper()
	require.NotEmpty(t, printed)
	for line := range strings.Lines(printed) {
		line = strings.TrimSuffix(line, "\n")
		control := strings.IndexFunc(line, func(char rune) bool { return unicode.IsControl(char) || char == utf8.RuneError })
		require.Negative(t, control, "a control character in %q", line)
		if !startsWithAny(line, wide) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), columns, "columns of %q", line)
		}
	}
}

func startsWithAny(line string, beginnings []string) bool {
	for _, beginning := range beginnings {
		if strings.HasPrefix(line, beginning) {
			return true
		}
	}
	return false
}
