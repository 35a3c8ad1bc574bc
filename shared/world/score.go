package world

import (
	"fmt"
	"math"
	"strconv"
)

// Score is a relevance in thousandths: 935 is 0.935. Zero means "not relevant". Whole thousandths, because no
// floating-point arithmetic may decide a score: the same seed has to give the same pairs on every architecture.
type Score uint16

// MaxScore is the score of a perfect match, 1.0.
const MaxScore Score = 1000

// ParseScore reads a decimal between 0 and 1 with at most three places, such as 0.95.
func ParseScore(text string) (Score, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || value < 0 || value > 1 {
		return 0, fmt.Errorf("%q is not a number between 0 and 1", text)
	}
	score := ScoreOf(value)
	if math.Abs(score.Float()-value) > 1e-9 {
		return 0, fmt.Errorf("%q has more than three decimal places", text)
	}
	return score, nil
}

// ScoreOf rounds a value between 0 and 1 to thousandths. It reads back exactly what Float wrote.
func ScoreOf(value float64) Score { return Score(math.Round(value * float64(MaxScore))) }

// Float returns the score as the nearest 64-bit floating-point number, as it is stored in a database.
func (s Score) Float() float64 { return float64(s) / float64(MaxScore) }

// String returns the shortest decimal with at least one place: 0.935, 0.9, 0.0, 1.0.
func (s Score) String() string { return string(s.Append(nil)) }

// Append appends what String returns; it allocates nothing when dst has room.
func (s Score) Append(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(s/MaxScore), 10)
	rest := s % MaxScore
	dst = append(dst, '.', byte('0'+rest/100))
	if rest%100 != 0 {
		dst = append(dst, byte('0'+rest/10%10))
	}
	if rest%10 != 0 {
		dst = append(dst, byte('0'+rest%10))
	}
	return dst
}

// MarshalJSON writes the score as a JSON number.
func (s Score) MarshalJSON() ([]byte, error) { return s.Append(nil), nil }

// UnmarshalJSON reads a JSON number between 0 and 1.
func (s *Score) UnmarshalJSON(text []byte) error {
	score, err := ParseScore(string(text))
	if err != nil {
		return fmt.Errorf("score: %w", err)
	}
	*s = score
	return nil
}
