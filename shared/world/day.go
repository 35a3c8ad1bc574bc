package world

import (
	"fmt"
	"time"
)

// Day is a calendar day in the form 2026-10-30. Its order as text is its order in time, so days compare with < and >.
type Day string

// FirstDay is the day of the first version that the lessons publish.
const FirstDay Day = "2026-10-30"

// The years for which a world can be drawn. Outside them a day is a typing error.
const (
	firstYear = 2020
	lastYear  = 2099
)

// ParseDay checks text and returns it as a Day. It refuses what is not a real calendar day between 2020 and 2099.
func ParseDay(text string) (Day, error) {
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return "", fmt.Errorf("%q is not a calendar day; write it like %s", text, FirstDay)
	}
	if date.Year() < firstYear || date.Year() > lastYear {
		return "", fmt.Errorf("%q is outside the years %d to %d", text, firstYear, lastYear)
	}
	return Day(text), nil
}

// Next returns the following day.
func (d Day) Next() Day { return d.Plus(1) }

// Plus returns the day that lies days later (or earlier, when days is negative).
func (d Day) Plus(days int) Day {
	return Day(d.date().AddDate(0, 0, days).Format(time.DateOnly))
}

// Since returns the number of days from earlier to d; negative when d comes first.
func (d Day) Since(earlier Day) int {
	return int(d.date().Sub(earlier.date()) / (24 * time.Hour))
}

func (d Day) date() time.Time {
	date, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		panic(fmt.Sprintf("world: Day %q was not made by ParseDay", string(d)))
	}
	return date
}
