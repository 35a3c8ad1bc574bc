package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/lab"
)

func TestMain(m *testing.M) { check.Main(m, main) }

func TestSixLookupsTakeOneTripToTheDatabase(t *testing.T) {
	for _, seed := range []string{"42", "7"} {
		t.Run("in the world of seed "+seed, func(t *testing.T) {
			printed := check.New(t).Succeed(t, "LAB_SEED="+seed)
			lines := strings.Split(strings.TrimSpace(printed), "\n")
			var layers lab.Layers
			require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &layers))
			require.Equal(t, lab.Layers{
				Version: "2026-10-30", Requests: 2, Lookups: 6, BloomNo: 2, CacheHits: 2, DBReads: 1, DBKeys: 2,
			}, layers)
		})
	}
}

func TestBothAnswersAreTheSameTwoScoresAndAZero(t *testing.T) {
	printed := check.New(t).Succeed(t)
	answers := regexp.MustCompile(`(?m)^\{"version":"2026-10-30","scores":.*$`).FindAllString(printed, -1)
	require.Len(t, answers, 2)
	require.Equal(t, answers[0], answers[1])

	var answer struct{ Scores map[string]float64 }
	require.NoError(t, json.Unmarshal([]byte(answers[0]), &answer))
	require.Len(t, answer.Scores, 3)
	zeros := 0
	for creative, score := range answer.Scores {
		if score == 0 {
			zeros++
			continue
		}
		require.GreaterOrEqual(t, score, 0.6, creative)
	}
	require.Equal(t, 1, zeros)
}

func TestTheStepPrintsTheCommandToType(t *testing.T) {
	printed := check.New(t).Succeed(t)
	require.Regexp(t, `curl -s localhost:8000/relevance -H 'content-type: application/json' \\\n +-d '\{"asin":"B\d{9}","creatives":\["cr-\d+","cr-\d+","cr-\d+"\]\}'`, printed)
}

func TestAnAPIThatIsNotThereIsOneClearLine(t *testing.T) {
	step := check.New(t)
	step.Succeed(t)
	line := step.Refuse(t, 1, "--url", "http://127.0.0.1:1")
	require.Contains(t, line, "go run ./steps/04-api")
}
