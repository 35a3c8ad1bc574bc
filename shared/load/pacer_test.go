package load

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheProcessesOfAnOpenLoopMakeOneEvenSchedule(t *testing.T) {
	config := Config{Rate: 1000, Processes: 3, Duration: time.Second}
	var starts []time.Duration
	for process := range config.Processes {
		pace, scheduled := config.pacer(process)
		count := int64(0)
		for {
			intended, more := pace.next(0)
			if !more {
				break
			}
			starts = append(starts, intended)
			count++
		}
		assert.Equal(t, scheduled, count, "what the schedule of process %d says it holds", process)
	}
	slices.Sort(starts)
	require.Len(t, starts, 1000)
	for i, start := range starts {
		require.Equal(t, time.Duration(i)*time.Millisecond, start)
	}
}

func TestAScheduleHoldsWhatIsDueBeforeItsEnd(t *testing.T) {
	for _, rate := range []float64{0.1, 1, 3, 7.5, 999.999, 12_345} {
		for _, length := range []time.Duration{time.Millisecond, time.Second, 1_234_567_891} {
			p := &openLoop{rate: rate, processes: 2, process: 1, length: length}
			count := int64(0)
			for p.at(count) < length {
				count++
			}
			assert.Equal(t, count, p.scheduled(), "%g req/s for %s", rate, length)
		}
	}
}

func TestNothingStartsAfterTheEnd(t *testing.T) {
	for name, config := range map[string]Config{
		"closed loop": {Processes: 1, Duration: time.Second},
		"open loop":   {Processes: 1, Duration: time.Second, Rate: 10},
	} {
		t.Run(name, func(t *testing.T) {
			pace, _ := config.pacer(0)
			_, more := pace.next(time.Second - 1)
			assert.True(t, more)
			_, more = pace.next(time.Second)
			assert.False(t, more)
		})
	}
}

func TestAClosedLoopMeansToStartAtOnce(t *testing.T) {
	intended, more := closedLoop{length: time.Second}.next(7 * time.Millisecond)
	assert.True(t, more)
	assert.Equal(t, 7*time.Millisecond, intended)
}

func TestWarmUpIsSharedByAllWorkersAndRoundedUp(t *testing.T) {
	assert.Equal(t, 469, Config{Warmup: 30_000, Processes: 2, Concurrency: 32}.warmupShare())
	assert.Zero(t, Config{Processes: 2, Concurrency: 32}.warmupShare())
}
