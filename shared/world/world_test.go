package world

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a world with categories of unequal size and creatives that are brand new.
var small = Config{Seed: 7, ASINs: 203, Categories: 10, Creatives: 55}

func TestTheSameConfigAndDayGiveTheSameWorld(t *testing.T) {
	first := New(small, FirstDay).Fingerprint()
	require.Len(t, first, 64)

	t.Run("on one core", func(t *testing.T) {
		before := runtime.GOMAXPROCS(1)
		defer runtime.GOMAXPROCS(before)
		assert.Equal(t, first, New(small, FirstDay).Fingerprint())
	})
	t.Run("in another time zone", func(t *testing.T) {
		inTimeZone(t, time.FixedZone("far east", 14*3600))
		assert.Equal(t, first, New(small, FirstDay).Fingerprint())
	})
	t.Run("after the worlds of other days were drawn", func(t *testing.T) {
		New(small, FirstDay.Next())
		New(small, FirstDay.Plus(-300))
		assert.Equal(t, first, New(small, FirstDay).Fingerprint())
	})
}

func TestEachPartOfTheConfigAndTheDayChangeTheFingerprint(t *testing.T) {
	seen := map[string]bool{New(small, FirstDay).Fingerprint(): true}
	for name, change := range map[string]func(*Config, *Day){
		"seed":       func(c *Config, _ *Day) { c.Seed++ },
		"asins":      func(c *Config, _ *Day) { c.ASINs++ },
		"categories": func(c *Config, _ *Day) { c.Categories++ },
		"creatives":  func(c *Config, _ *Day) { c.Creatives++ },
		"day":        func(_ *Config, d *Day) { *d = d.Next() },
	} {
		config, day := small, FirstDay
		change(&config, &day)
		fingerprint := New(config, day).Fingerprint()
		assert.False(t, seen[fingerprint], name)
		seen[fingerprint] = true
	}
}

func TestIDs(t *testing.T) {
	w := New(small, FirstDay)
	for i := range w.ASINs() {
		require.True(t, w.HasASIN(w.ASIN(i)))
	}
	for j := range w.Creatives() {
		require.True(t, w.HasCreative(w.Creative(j)))
	}
	assert.Equal(t, "B000000042", w.ASIN(42))
	assert.Equal(t, "B000000000", w.ASIN(0))
	assert.Equal(t, "B999999999", string(appendASIN(nil, maxASINs-1)))
	assert.Equal(t, "cr-9", w.Creative(9))

	for _, id := range []string{
		"", "B", "B42", "B00000042", "B0000000042", "B000000203", "b000000042", "B+00000042", "B-00000001", "B00000004x",
		" B000000042", "B000000042 ", "B999999999", "B0000_0042", "cr-1", "B99999999999999999999", "B00000００42",
	} {
		assert.False(t, w.HasASIN(id), "%q", id)
	}
	for _, id := range []string{
		"", "cr-", "cr-55", "cr-01", "cr-+1", "cr--1", "CR-1", "cr-1 ", "cr-1\n", "cr-99999999999999999999", "1", "cr-0x1",
		"B000000001",
	} {
		assert.False(t, w.HasCreative(id), "%q", id)
	}
}

func TestCreativesAreAddedDailyWithinBounds(t *testing.T) {
	config := Default(42)
	for day, want := range map[Day]int{
		"2020-01-01": 500, "2026-10-05": 500, "2026-10-06": 520, "2026-10-29": 980, "2026-10-30": 1_000, "2026-10-31": 1_020,
		"2026-11-09": 1_200, "2026-12-18": 1_980, "2026-12-19": 2_000, "2099-12-31": 2_000,
	} {
		assert.Equal(t, want, config.CreativesOn(day), day)
	}
	tiny := Config{Seed: 1, ASINs: 1, Categories: 1, Creatives: 1}
	for _, day := range []Day{"2020-01-01", FirstDay, "2099-12-31"} {
		assert.Equal(t, tiny.CreativesOn(day), New(tiny, day).Creatives())
		assert.Positive(t, tiny.CreativesOn(day))
	}
}

func TestATenthOfTheCreativesIsBrandNew(t *testing.T) {
	w := New(Default(42), FirstDay)
	for j := range w.Creatives() {
		if j >= 900 {
			require.Empty(t, w.Products(j), w.Creative(j))
			continue
		}
		products := w.Products(j)
		require.True(t, len(products) >= 1 && len(products) <= maxProducts, w.Creative(j))
		require.IsIncreasing(t, append([]int32{-1}, products...))
		for _, product := range products {
			require.Equal(t, w.CreativeCategory(j), w.ASINCategory(int(product)))
		}
	}
}

func TestOnlyProductsDrift(t *testing.T) {
	today, tomorrow := New(small, FirstDay), New(small, FirstDay.Next())
	for category := range today.Categories() {
		require.Equal(t, today.Centre(category), tomorrow.Centre(category))
	}
	for j := range today.Creatives() {
		require.Equal(t, today.CreativeVector(j), tomorrow.CreativeVector(j))
		if len(today.Products(j)) > 0 {
			require.Equal(t, today.Products(j), tomorrow.Products(j), "a creative goes on advertising the same")
		}
	}
	for i := range today.ASINs() {
		require.NotEqual(t, today.ASINVector(i), tomorrow.ASINVector(i))
	}
}

func TestDriftLeadsNowhere(t *testing.T) {
	today := New(small, FirstDay)
	similarity := func(later Day) (sum int) {
		drifted := New(small, later)
		for i := range today.ASINs() {
			sum += int(Cosine(Dot(today.ASINVector(i), drifted.ASINVector(i))))
		}
		return sum / today.ASINs()
	}
	nextDay, nextMonth, lastYear := similarity("2026-10-31"), similarity("2026-11-30"), similarity("2098-10-30")
	assert.Greater(t, nextDay, nextMonth, "a day takes a product less far than a month")
	assert.InDelta(t, nextMonth, lastYear, 15, "a lifetime takes it no farther than a month")
	assert.Greater(t, lastYear, 700)
}

func TestCategoriesKeepApart(t *testing.T) {
	for seed := range uint64(5) {
		w := New(Config{Seed: seed, ASINs: 1, Categories: 50, Creatives: 1}, FirstDay)
		for a := range w.Categories() {
			for b := range a {
				require.Less(t, Cosine(Dot(w.Centre(a), w.Centre(b))), Score(500), "seed %d: categories %d and %d", seed, a, b)
			}
		}
	}
}

func TestSizesThatNoWorldHasPanic(t *testing.T) {
	for _, config := range []Config{
		{}, {ASINs: 1, Categories: 1}, {ASINs: 1, Creatives: 1}, {Categories: 1, Creatives: 1},
		{ASINs: -1, Categories: 1, Creatives: 1}, {ASINs: math.MaxInt32, Categories: 1, Creatives: 1},
		{ASINs: 1, Categories: 1, Creatives: math.MaxInt32},
	} {
		assert.Panics(t, func() { New(config, FirstDay) }, "%+v", config)
	}
}

func TestMoreCategoriesThanProductsLeavesSomeCreativesWithNone(t *testing.T) {
	w := New(Config{Seed: 1, ASINs: 3, Categories: 9, Creatives: 40}, FirstDay)
	for j := range 30 {
		assert.Equal(t, w.CreativeCategory(j) < 3, len(w.Products(j)) > 0, w.Creative(j))
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New(Default(42), FirstDay)
	}
}
