package suite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/suite"
)

func TestAResultIsOneLineAndWhatFailedStandsBelowIt(t *testing.T) {
	var out strings.Builder
	results := suite.Results{
		{Step: "01-batch", Part: 1, Passed: 5, Seconds: 3.14},
		{Step: "02-bloom", Part: 1, Passed: 1, Failed: 1, Skipped: 2, Seconds: 12, Failures: []suite.Failure{
			{Sentence: "The filter says yes to every key", Message: "check_test.go:9: " + strings.Repeat("a long word ", 12)},
		}},
		{Step: "03-store", Part: 2, Broken: "it did not build: ./main.go:3: no"},
		{Step: "10-live-publish", Part: 2, Open: "no recorded run yet"},
	}
	for _, result := range results {
		result.Write(&out)
	}
	require.Equal(t, `  01-batch           5 passed                               3.1 s
  02-bloom           1 passed, 1 failed, 2 skipped         12.0 s
    failed: The filter says yes to every key
      check_test.go:9: a long word a long word a long word a long word a long
      word a long word a long word a long word a long word a long word a long
      word a long word
  03-store           could not be checked                   0.0 s
    it did not build: ./main.go:3: no
  10-live-publish    nothing to judge                       0.0 s
    no recorded run yet
`, out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, len(line), 81)
	}
	require.Equal(t, "6 passed, 1 failed, 2 skipped in 15 s; 1 step could not be checked", results.Summary())
	require.EqualError(t, results.Err(), "1 check failed, and 1 step could not be checked; see above")
	numbers := results.Numbers()
	require.Equal(t, 9.0, numbers["checks"])
	require.Equal(t, 9.0, numbers["laptop_checks"])
	require.Equal(t, 1.0, numbers["steps_broken"])
}
