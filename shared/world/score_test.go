package world

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryScoreReadsBackFromEachOfItsForms(t *testing.T) {
	for s := Score(0); s <= MaxScore; s++ {
		parsed, err := ParseScore(s.String())
		require.NoError(t, err)
		require.Equal(t, s, parsed, "as text")
		require.Equal(t, s, ScoreOf(s.Float()), "as a database stores it")

		text, err := json.Marshal(s)
		require.NoError(t, err)
		var fromJSON Score
		require.NoError(t, json.Unmarshal(text, &fromJSON))
		require.Equal(t, s, fromJSON, "as JSON")

		value, err := strconv.ParseFloat(s.String(), 64)
		require.NoError(t, err)
		require.Equal(t, value, s.Float(), "the nearest number to its text")
	}
}

func TestAScoreIsWrittenAsTheShortestDecimalWithOnePlace(t *testing.T) {
	for s, text := range map[Score]string{
		0: "0.0", 1: "0.001", 10: "0.01", 100: "0.1", 900: "0.9", 935: "0.935", 905: "0.905", 950: "0.95", 1000: "1.0",
	} {
		assert.Equal(t, text, s.String())
	}
}

func TestAppendingAScoreAllocatesNothing(t *testing.T) {
	buffer := make([]byte, 0, 16)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buffer = Score(935).Append(buffer[:0]) }))
}

func TestWhatIsNoScoreIsRefusedInOneLine(t *testing.T) {
	for _, text := range []string{
		"", "high", "-0.1", "1.001", "2", "NaN", "nan", "Inf", "-Inf", "0,6", "0.6 ", "0.6\n", "0.1234", "1e9", "0.6abc",
		"６",
	} {
		_, err := ParseScore(text)
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "\n")
	}
	var s Score
	for _, text := range []string{`"0.6"`, `null`, `-1`, `0.00001`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(text), &s), text)
	}
}

func FuzzParseScore(f *testing.F) {
	for _, text := range []string{"0.6", "1", "1e-1", "0x1p-1", "-0", "nan"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseScore(text); err == nil {
			require.LessOrEqual(t, s, MaxScore)
			again, err := ParseScore(s.String())
			require.NoError(t, err)
			require.Equal(t, s, again)
		}
	})
}
