package bloom_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/bloom"
)

func TestSizeIsTheOneOfTheOriginalWriteUp(t *testing.T) {
	for keys, want := range map[int]uint64{276_536: 2_650_614, 280_948: 2_692_903} {
		bits, hashes := bloom.Size(keys, 0.01)
		assert.Equal(t, want, bits, "%d keys", keys)
		assert.EqualValues(t, 7, hashes, "%d keys", keys)
	}
}

func TestSizeOfNoKeysIsThatOfOne(t *testing.T) {
	bits, hashes := bloom.Size(0, 0.01)
	assert.EqualValues(t, 10, bits)
	assert.EqualValues(t, 7, hashes)
	assert.False(t, bloom.New(0, 0.01).Has("", ""))
}

func TestAShareOutsideZeroToOneIsAProgrammingError(t *testing.T) {
	for _, share := range []float64{0, 1, -1} {
		assert.Panics(t, func() { bloom.Size(1, share) }, "%v", share)
	}
}

func TestEveryKeyIsAYesAndOneStrangerInAHundredToo(t *testing.T) {
	const keys = 276_536
	filter := bloom.New(keys, bloom.FalsePositives)
	for i := range keys {
		filter.Add(pair(i))
	}
	denied, believed := 0, 0
	for i := range keys {
		if !filter.Has(pair(i)) {
			denied++
		}
		if filter.Has(pair(keys + i)) {
			believed++
		}
	}
	assert.Zero(t, denied)
	assert.Equal(t, keys, filter.Keys())
	assert.InDelta(t, 0.01, filter.Predicted(keys), 0.0002)
	assert.InDelta(t, 0.01, float64(believed)/keys, 0.001)
}

func TestPredictedRisesWithTheKeys(t *testing.T) {
	filter := bloom.New(1000, 0.01)
	assert.Zero(t, filter.Predicted(0))
	assert.Less(t, filter.Predicted(500), 0.001)
	assert.Greater(t, filter.Predicted(2000), 0.1)
}

func TestHostileIDsAreAnsweredRight(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	filter := bloom.New(100, 1e-9)
	filter.Add("B1", "cr-1")
	filter.Add("B1", "cr\x00-2")
	filter.Add("", "")
	filter.Add("B\xff", "кр")

	assert.True(t, filter.Has("B1", "cr-1"))
	assert.True(t, filter.Has("B1", "cr\x00-2"))
	assert.True(t, filter.Has("", ""))
	assert.True(t, filter.Has("B\xff", "кр"))
	for _, stranger := range [][2]string{
		{"B1c", "r-1"}, {"B1\x00cr-1", ""}, {"", "B1\x00cr-1"}, {"B1\x00cr", "-2"}, {"B1\x00", "cr-1"}, {"\x00", ""},
		{long, "cr-1"}, {"B1", long}, {long, long},
	} {
		assert.False(t, filter.Has(stranger[0], stranger[1]), "%.20q", stranger)
	}
}

func TestWhatCannotBeAKeyCannotBeAdded(t *testing.T) {
	filter := bloom.New(10, 0.01)
	assert.Panics(t, func() { filter.Add("B\x001", "cr-1") })
	assert.Panics(t, func() { filter.Add("B1", strings.Repeat("x", bloom.MaxKeyBytes-2)) })
	assert.NotPanics(t, func() { filter.Add("B1", strings.Repeat("x", bloom.MaxKeyBytes-3)) })
	assert.True(t, filter.Has("B1", strings.Repeat("x", bloom.MaxKeyBytes-3)))
}

func TestHasAllocatesNothing(t *testing.T) {
	filter := bloom.New(10, 0.01)
	filter.Add("B000000042", "cr-179")
	long := strings.Repeat("x", 1<<20)
	for name, question := range map[string][2]string{
		"a key":             {"B000000042", "cr-179"},
		"a stranger":        {"B000000043", "cr-179"},
		"the longest key":   {"B", strings.Repeat("y", bloom.MaxKeyBytes-2)},
		"a very long id":    {long, long},
		"an id with a zero": {"B\x00", "cr"},
	} {
		asin, creative := question[0], question[1]
		assert.Zero(t, testing.AllocsPerRun(100, func() { filter.Has(asin, creative) }), name)
	}
}

func BenchmarkHas(b *testing.B) {
	const keys, questions = 276_536, 1 << 12
	filter := filled(b, keys)
	var asins, creatives [questions]string
	for i := range questions { // half of them keys
		asins[i], creatives[i] = pair(i * (2 * keys / questions))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		filter.Has(asins[i%questions], creatives[i%questions])
	}
}

func pair(i int) (asin, creative string) {
	return "B" + strconv.Itoa(1_000_000_000 + i/40)[1:], "cr-" + strconv.Itoa(i%40)
}

func filled(t testing.TB, keys int) *bloom.Filter {
	filter := bloom.New(keys, bloom.FalsePositives)
	for i := range keys {
		filter.Add(pair(i))
	}
	require.Equal(t, keys, filter.Keys())
	return filter
}
