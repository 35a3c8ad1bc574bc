package service_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

func TestAQuestionAskedTwiceMakesOneTripToTheDatabase(t *testing.T) {
	data := t.TempDir()
	pairs := publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	asin, relevant := 0, pairs.Of(0)
	for len(relevant) < 2 {
		asin++
		relevant = pairs.Of(asin)
	}
	w := pairs.World()
	first, second := w.Creative(int(relevant[0].Creative)), w.Creative(int(relevant[1].Creative))
	nobodys := denied(t, data, w.ASIN(asin))
	want := map[string]float64{first: relevant[0].Score.Float(), second: relevant[1].Score.Float(), nobodys: 0}
	for range 2 {
		answer := ask(t, url, w.ASIN(asin), first, second, nobodys)
		require.Equal(t, world.FirstDay, answer.Version)
		require.Equal(t, want, answer.Scores)
		require.False(t, answer.Degraded)
	}
	m := metrics(t, url)
	require.EqualValues(t, 2, m.Requests)
	require.EqualValues(t, 6, m.Lookups)
	require.EqualValues(t, 2, m.BloomNo)
	require.EqualValues(t, 2, m.CacheHits)
	require.EqualValues(t, 1, m.DBReads)
	require.EqualValues(t, 2, m.DBKeys)
}

func TestWithoutTheFilterNegativeAnswersComeFromTheDatabaseAndThenFromTheCache(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	config := service.Default()
	config.Bloom = false
	url := start(t, service.New(config, service.Disk(release.At(data)), io.Discard))
	nobodys := denied(t, data, "B000000001")
	for range 2 {
		require.Equal(t, map[string]float64{nobodys: 0}, ask(t, url, "B000000001", nobodys).Scores)
	}
	m := metrics(t, url)
	require.Zero(t, m.BloomNo)
	require.EqualValues(t, 1, m.DBKeys)
	require.EqualValues(t, 1, m.CacheHits, "that a pair is not relevant is cached too")
}

func TestWithoutACacheEachRequestReadsTheDatabase(t *testing.T) {
	data := t.TempDir()
	config := service.Default()
	config.CacheSize, config.Bloom = 0, false
	publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(config, service.Disk(release.At(data)), io.Discard))
	for range 3 {
		ask(t, url, "B000000001", names(500)...)
	}
	m := metrics(t, url)
	require.Zero(t, m.CacheHits)
	require.EqualValues(t, 3, m.DBReads, "one read a request, however many keys it has")
	require.EqualValues(t, 1500, m.DBKeys)
}

func TestTheCacheHoldsNoMoreThanItsSize(t *testing.T) {
	config := service.Default()
	config.Bloom, config.CacheSize = false, 10
	url := start(t, service.New(config, scripted{scores: database(found)}, io.Discard))
	for i := range 40 {
		ask(t, url, "A", "cr-"+strconv.Itoa(i))
	}
	before := metrics(t, url).CacheHits
	require.Eventually(t, func() bool { // what is too much is removed a moment later
		hits := metrics(t, url).CacheHits
		for i := range 40 {
			ask(t, url, "A", "cr-"+strconv.Itoa(i))
		}
		return metrics(t, url).CacheHits-hits <= 12
	}, patience, aMoment)
	require.LessOrEqual(t, before, uint64(40))
}

// Whatever the filter, the cache and the database do, each lookup ends in exactly one place.
func TestLookupsEndInExactlyOnePlaceWhateverHappens(t *testing.T) {
	moody := func(ctx context.Context, asin string, creatives []string, into []world.Score) error {
		switch rand.IntN(4) {
		case 0:
			return errors.New("out of sorts")
		case 1:
			panic("very much out of sorts")
		}
		return found(ctx, asin, creatives, into)
	}
	for _, config := range []service.Config{
		{Bloom: true, CacheSize: 5, DBBudget: patience},
		{Bloom: false, CacheSize: 5, DBBudget: patience},
		{Bloom: true, CacheSize: 0, DBBudget: patience},
	} {
		url := start(t, service.New(config, scripted{scores: database(moody), keys: everything()}, io.Discard))
		var asked, requests int
		var mutex sync.Mutex
		var lanes sync.WaitGroup
		for range 4 {
			lanes.Go(func() {
				for i := range 100 {
					creatives := map[string]bool{}
					list := []string{}
					for range 1 + rand.IntN(30) {
						creative := "cr-" + strconv.Itoa(rand.IntN(40))
						list = append(list, creative)
						creatives[creative] = true
					}
					answer := ask(t, url, "A", list...)
					for creative, score := range answer.Scores {
						if score != 0 {
							require.Equal(t, want(creative), score)
						}
					}
					mutex.Lock()
					asked, requests = asked+len(creatives), requests+1
					mutex.Unlock()
					if i%10 == 0 {
						requireSum(t, metrics(t, url))
					}
				}
			})
		}
		lanes.Wait()
		m := metrics(t, url)
		requireSum(t, m)
		require.EqualValues(t, requests, m.Requests)
		require.EqualValues(t, asked, m.Lookups)
		require.EqualValues(t, requests, m.Latency.Count)
		require.Positive(t, m.Degraded)
		require.Equal(t, m.Degraded, m.Errors, "each failed read degraded one request")
		require.Zero(t, m.InFlight)
	}
}

// denied returns a creative of which the live filter is certain that it is not relevant.
func denied(t *testing.T, data, asin string) string {
	t.Helper()
	build, err := release.At(data).Pin()
	require.NoError(t, err)
	defer build.Close()
	filter, err := bloom.Load(build.Path(release.FilterFile))
	require.NoError(t, err)
	for i := 0; ; i++ {
		if creative := "nobody's-" + strconv.Itoa(i); !filter.Has(asin, creative) {
			return creative
		}
	}
}

// found is a database that has all creatives; want is what it has.
func found(_ context.Context, _ string, creatives []string, into []world.Score) error {
	for i, creative := range creatives {
		into[i] = world.ScoreOf(want(creative))
	}
	return nil
}

// forgiving is a database without rows.
func forgiving(_ context.Context, _ string, _ []string, into []world.Score) error {
	clear(into)
	return nil
}

func want(creative string) float64 {
	number, _ := strconv.Atoi(strings.TrimPrefix(creative, "cr-"))
	return float64(600+number) / 1000
}
