package load

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func millisAfter(intended, started, finished int) timing {
	return timing{
		intended: time.Duration(intended) * time.Millisecond,
		started:  time.Duration(started) * time.Millisecond,
		finished: time.Duration(finished) * time.Millisecond,
	}
}

var fine = answer{version: []byte("2026-10-30")}

func TestFailedRequestsAreCountedByKindAndKeptOutOfLatency(t *testing.T) {
	r := newRecorder()
	r.record(millisAfter(0, 0, 10), fine, nil)
	r.record(millisAfter(0, 0, 900), answer{}, &failure{kind: kindTimeout, detail: errors.New("first")})
	r.record(millisAfter(0, 0, 901), answer{}, &failure{kind: kindTimeout, detail: errors.New("second")})
	total, actual := r.finish()
	assert.EqualValues(t, 1, total.OK)
	assert.Equal(t, map[string]tally{kindTimeout: {Count: 2, Example: "first"}}, total.Errors)
	assert.EqualValues(t, 1, actual.TotalCount())
	assert.Equal(t, 10*time.Millisecond, total.Latency)
	assert.Equal(t, (10+900+901)*time.Millisecond, total.Busy, "failed requests were in flight too")
}

func TestLatencyCountsFromTheIntendedStartAndActualFromTheActualStart(t *testing.T) {
	r := newRecorder()
	r.record(millisAfter(100, 400, 450), fine, nil)
	total, actual := r.finish()
	assert.Equal(t, 350*time.Millisecond, total.Latency)
	assert.Equal(t, 50*time.Millisecond, total.Actual)
	assert.InDelta(t, 50_000, actual.Max(), 50)
	seconds := r.take(time.Second)
	require.Len(t, seconds, 1)
	assert.InDelta(t, 350_000, seconds[0].histogram.Max(), 350)
}

func TestRequestsCountInTheSecondInWhichTheyEnd(t *testing.T) {
	r := newRecorder()
	r.record(millisAfter(0, 0, 999), fine, nil)
	r.record(millisAfter(900, 900, 1_000), fine, nil)
	r.record(millisAfter(0, 0, 3_500), answer{}, &failure{kind: kindLost, detail: errors.New("EOF")})
	seconds := r.take(3500 * time.Millisecond)
	require.Len(t, seconds, 2, "the second that still runs is not among them")
	assert.Equal(t, []int{0, 1}, []int{seconds[0].number, seconds[1].number})
	for _, second := range seconds {
		assert.EqualValues(t, 1, second.ok)
		r.give(second)
	}
	last := r.take(4 * time.Second)
	require.Len(t, last, 1)
	assert.Equal(t, 3, last[0].number)
	assert.EqualValues(t, 1, last[0].errors)
}

func TestAHistogramThatWasGivenBackStartsEmpty(t *testing.T) {
	r := newRecorder()
	r.record(millisAfter(0, 0, 500), fine, nil)
	r.give(r.take(time.Second)[0])
	r.record(millisAfter(0, 0, 2_500), fine, nil)
	r.record(millisAfter(0, 0, 3_500), fine, nil)
	for _, second := range r.take(4 * time.Second) {
		assert.Equal(t, second.ok, second.histogram.TotalCount(), "second %d", second.number)
	}
}

func TestHistogramsKeepThreeDigitsAndSurviveTheWay(t *testing.T) {
	histogram := newHistogram()
	for _, latency := range []time.Duration{0, 1234567 * time.Nanosecond, 5 * time.Second, time.Hour} {
		recordIn(histogram, latency)
	}
	encoded, err := encode(histogram)
	require.NoError(t, err)
	back, err := decode(encoded)
	require.NoError(t, err)
	merged := newHistogram()
	require.Zero(t, merged.Merge(back), "values lost")
	assert.EqualValues(t, 4, merged.TotalCount())
	assert.InEpsilon(t, 1234, merged.ValueAtQuantile(50), 0.001)
	assert.InEpsilon(t, longestMicros, merged.Max(), 0.001)
	_, err = decode([]byte("not a histogram"))
	assert.Error(t, err)
}

func TestP999NeedsTenThousandSamples(t *testing.T) {
	histogram := newHistogram()
	for range enoughForP999 - 1 {
		recordIn(histogram, time.Millisecond)
	}
	latency, err := newLatency(histogram, 0)
	require.NoError(t, err)
	assert.Zero(t, latency.P999)
	recordIn(histogram, time.Millisecond)
	latency, err = newLatency(histogram, 0)
	require.NoError(t, err)
	assert.InEpsilon(t, 1.0, latency.P999, 0.001)
}

func TestRecordingAGoodAnswerAllocatesNothing(t *testing.T) {
	r := newRecorder()
	r.record(millisAfter(0, 0, 1), fine, nil)
	assert.Zero(t, testing.AllocsPerRun(1_000, func() { r.record(millisAfter(0, 0, 2), fine, nil) }))
}
