package service_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

func TestWithoutAVersionTheAPISaysSoAndServesTheFirstOneByItself(t *testing.T) {
	data := filepath.Join(t.TempDir(), "not yet")
	var told lines
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), &told))
	for range 2 {
		status, text := get(t, url+"/healthz")
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Contains(t, text, "no data version loaded yet")
	}
	status, text := post(t, url, question("cr-1"))
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.JSONEq(t, `{"error":"no data version loaded yet"}`, text)
	require.Zero(t, metrics(t, url).FailedSwaps, "nothing has failed")

	pairs := publish(t, data, small(), world.FirstDay)
	require.Eventually(t, func() bool { return metrics(t, url).Version == world.FirstDay }, patience, aMoment)
	require.Equal(t, pairs.Len(), metrics(t, url).Rows)
	require.Zero(t, metrics(t, url).Swaps, "the first version replaced none")
	require.Equal(t, 1, told.count("no data version loaded yet; publish one with"))
	require.Equal(t, 1, told.count("serving version 2026-10-30 ("))
}

func TestANewVersionIsServedAsSoonAsItIsPublished(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	var told lines
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), &told))
	next := publish(t, data, small(), world.FirstDay.Next())
	require.Eventually(t, func() bool { return metrics(t, url).Swaps == 1 }, patience, aMoment)
	w := next.World()
	for asin := range 50 {
		var creatives []string
		expected := map[string]float64{}
		for _, pair := range next.Of(asin) {
			creatives = append(creatives, w.Creative(int(pair.Creative)))
			expected[w.Creative(int(pair.Creative))] = pair.Score.Float()
		}
		if len(creatives) > 0 {
			answer := ask(t, url, w.ASIN(asin), creatives...)
			require.Equal(t, world.FirstDay.Next(), answer.Version)
			require.Equal(t, expected, answer.Scores)
		}
	}
	require.Equal(t, 1, told.count("serving version 2026-10-31 ("))
}

func TestADamagedVersionIsRefusedAndTheOldOneGoesOn(t *testing.T) {
	for _, file := range []string{release.ScoresFile, release.FilterFile} {
		t.Run(file, func(t *testing.T) {
			data := t.TempDir()
			first := publish(t, data, small(), world.FirstDay)
			good, err := release.At(data).Current()
			require.NoError(t, err)
			publish(t, data, small(), world.FirstDay.Next())
			bad, err := release.At(data).Current()
			require.NoError(t, err)
			_, err = release.At(data).Rollback(good.Build)
			require.NoError(t, err)
			var told lines
			url := start(t, service.New(service.Default(), service.Disk(release.At(data)), &told))
			require.Equal(t, first.Len(), metrics(t, url).Rows)

			current := filepath.Join(data, "current.json")
			whole, err := os.ReadFile(current)
			require.NoError(t, err)
			_, err = release.At(data).Rollback(bad.Build)
			require.NoError(t, err)
			pointsAtBad, err := os.ReadFile(current)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(current, whole, 0o644))
			path := filepath.Join(data, "versions", bad.Build, file)
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			content[len(content)/2] ^= 1
			require.NoError(t, os.WriteFile(path, content, 0o644))
			require.NoError(t, os.WriteFile(current, pointsAtBad, 0o644))

			require.Eventually(t, func() bool { return told.count("still serving "+good.Build) > 0 }, patience, aMoment)
			require.Contains(t, told.String(), file)
			m := metrics(t, url)
			require.Equal(t, good.Build, m.Build)
			status, _ := get(t, url+"/healthz")
			require.Equal(t, http.StatusOK, status)
			require.NotZero(t, m.FailedSwaps)

			publish(t, data, small(), world.FirstDay.Plus(2))
			third := world.FirstDay.Plus(2)
			require.Eventually(t, func() bool { return metrics(t, url).Version == third }, patience, aMoment)
		})
	}
}

// flaky is a source whose next load a test decides.
type flaky struct {
	scripted
	mutex sync.Mutex
	build string
	err   error
	looks atomic.Int64
	loads atomic.Int64
}

func (f *flaky) set(build string, err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.build, f.err = build, err
}

func (f *flaky) Live(context.Context) (string, error) {
	f.looks.Add(1)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.build, nil
}

func (f *flaky) Load(ctx context.Context) (*service.Version, error) {
	f.loads.Add(1)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	version, _ := f.scripted.Load(ctx)
	version.Manifest.Build = f.build
	return version, f.err
}

func TestAProblemIsToldAndCountedOnceAndTriedAgain(t *testing.T) {
	source := &flaky{scripted: scripted{scores: database(found)}, build: "2026-10-30-aaaaaaaa"}
	var told lines
	url := start(t, service.New(service.Default(), source, &told))
	source.set("2026-10-31-bbbbbbbb", errors.New("the bucket is closed"))
	looks, loads := source.looks.Load(), source.loads.Load()
	require.Eventually(t, func() bool { return source.loads.Load() >= loads+2 }, patience, aMoment, "it is tried again")
	require.Equal(t, 1, told.count("the bucket is closed"))
	require.EqualValues(t, 1, metrics(t, url).FailedSwaps)
	require.GreaterOrEqual(t, source.looks.Load()-looks, int64(4), "but not at every look")

	source.set("2026-10-31-bbbbbbbb", errors.New("the bucket is on fire"))
	require.Eventually(t, func() bool { return told.count("the bucket is on fire") == 1 }, patience, aMoment)
	require.EqualValues(t, 2, metrics(t, url).FailedSwaps)
	source.set("2026-10-31-bbbbbbbb", nil)
	require.Eventually(t, func() bool { return metrics(t, url).Build == "2026-10-31-bbbbbbbb" }, patience, aMoment)
}

func TestAVersionIsClosedAfterItsLastReadEvenALateOne(t *testing.T) {
	resume, asked := make(chan struct{}), make(chan struct{})
	var closed, reading atomic.Bool
	scores := closing{
		database: func(context.Context, string, []string, []world.Score) error {
			reading.Store(true)
			close(asked)
			<-resume
			require.False(t, closed.Load(), "closed under a reader")
			reading.Store(false)
			return nil
		},
		close: func() { closed.Store(true) },
	}
	source := &flaky{scripted: scripted{scores: scores}, build: "2026-10-30-aaaaaaaa"}
	config := service.Default()
	config.Bloom, config.DBBudget = false, time.Millisecond
	url := start(t, service.New(config, source, io.Discard))
	require.True(t, ask(t, url, "A", "cr-1").Degraded)
	<-asked
	source.set("2026-10-31-bbbbbbbb", nil)
	require.Eventually(t, func() bool { return metrics(t, url).Swaps == 1 }, patience, aMoment)
	require.True(t, reading.Load())
	require.False(t, closed.Load())
	close(resume)
	require.Eventually(t, closed.Load, patience, aMoment)
}

type closing struct {
	database
	close func()
}

func (c closing) Close() error {
	c.close()
	return nil
}

func TestAVersionsStoreIsClosedBeforeItsBuildIsUnpinned(t *testing.T) {
	var order []string
	version := service.Version{
		Filter: bloom.New(1, bloom.FalsePositives),
		Scores: closing{close: func() { order = append(order, "store") }},
		Unpin: func() error {
			order = append(order, "pin")
			return nil
		},
	}
	require.NoError(t, version.Close())
	require.Equal(t, []string{"store", "pin"}, order)
}
