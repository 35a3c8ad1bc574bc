package world

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // not every machine has a time zone database

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseDay(t *testing.T) {
	for _, text := range []string{"2026-10-30", "2020-01-01", "2099-12-31", "2028-02-29"} {
		day, err := ParseDay(text)
		require.NoError(t, err)
		assert.Equal(t, Day(text), day)
	}
	for name, text := range map[string]string{
		"nothing":                "",
		"a word":                 "tomorrow",
		"a day that is not":      "2026-02-29",
		"a month that is not":    "2026-13-01",
		"one digit":              "2026-1-1",
		"slashes":                "2026/10/30",
		"the other way round":    "30-10-2026",
		"a time of day":          "2026-10-30T00:00:00Z",
		"a space":                "2026-10-30 ",
		"a new line":             "2026-10-30\n",
		"a path":                 "../../etc/passwd",
		"other digits":           "２０２６-10-30",
		"the year before":        "2019-12-31",
		"the year after":         "2100-01-01",
		"year zero":              "0000-01-01",
		"a negative year":        "-026-10-30",
		"a byte that is no text": "2026-10-3\xff",
	} {
		t.Run(name+" is refused in one line", func(t *testing.T) {
			_, err := ParseDay(text)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func FuzzParseDay(f *testing.F) {
	for _, text := range []string{"2026-10-30", "2026-02-30", "", "2026-10-30\n", "９"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		day, err := ParseDay(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.Equal(t, text, string(day), "a day is the text it was read from")
		require.Len(t, text, len(FirstDay))
		require.Equal(t, 1, day.Next().Since(day))
		require.Less(t, day, day.Next(), "text order is time order")
	})
}

func TestDaysCountAcrossMonthsAndLeapYears(t *testing.T) {
	assert.Equal(t, Day("2026-10-31"), FirstDay.Next())
	assert.Equal(t, Day("2026-11-01"), FirstDay.Plus(2))
	assert.Equal(t, Day("2028-02-29"), Day("2028-03-01").Plus(-1))
	assert.Equal(t, 366, Day("2029-01-01").Since("2028-01-01"))
	assert.Equal(t, -1, FirstDay.Since(FirstDay.Next()))
}

func TestDaysDoNotDependOnTheTimeZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	inTimeZone(t, berlin)
	// There 2026-03-29 has 23 hours and 2026-10-25 has 25. Each is one day all the same.
	assert.Equal(t, 2, Day("2026-03-30").Since("2026-03-28"))
	assert.Equal(t, Day("2026-10-26"), Day("2026-10-25").Next())
	day, err := ParseDay("2026-10-30")
	require.NoError(t, err)
	assert.Equal(t, FirstDay, day)
}

// inTimeZone makes zone the local one for the rest of the test.
func inTimeZone(t *testing.T, zone *time.Location) {
	before := time.Local
	time.Local = zone
	t.Cleanup(func() { time.Local = before })
}

func TestADayThatWasNeverParsedPanicsWithItsText(t *testing.T) {
	defer func() {
		message, _ := recover().(string)
		assert.True(t, strings.Contains(message, `"soon"`), message)
	}()
	Day("soon").Next()
}
