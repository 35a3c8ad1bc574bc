package lab

import (
	"math"
	"slices"

	"example.com/relevance-lab/shared/load"
)

// phases are the server's counts before and after the swap, as measurements that can be compared: the old version, the
// new one in its first second, and the new one from the swap to the end.
func (s Swap) phases() (before, first, after Measured) {
	settled := s.Settled.Layers
	if s.Settled.At == 0 {
		settled = s.End
	}
	return phase("before", Layers{}, s.Before.Layers), phase("first second", s.After.Layers, settled),
		phase("after", s.After.Layers, s.End)
}

// phase is what a server counted between two readings.
func phase(name string, from, to Layers) Measured {
	counted := load.Server{
		Requests: int64(to.Requests - from.Requests), Lookups: int64(to.Lookups - from.Lookups),
		BloomNo: int64(to.BloomNo - from.BloomNo), CacheHits: int64(to.CacheHits - from.CacheHits),
		DBReads: int64(to.DBReads - from.DBReads), DBKeys: int64(to.DBKeys - from.DBKeys),
		DegradedKeys: int64(to.DegradedKeys - from.DegradedKeys),
	}
	return Measured{Name: name, Report: &load.Report{Servers: []load.Server{counted}}}
}

// layersOf is the part of what a server counted that tells where lookups ended.
func layersOf(total load.Server) Layers {
	return Layers{
		Version: string(total.Version), Requests: int(total.Requests), Lookups: int(total.Lookups),
		BloomNo: int(total.BloomNo), CacheHits: int(total.CacheHits), DBReads: int(total.DBReads),
		DBKeys: int(total.DBKeys), DegradedKeys: int(total.DegradedKeys),
	}
}

// Numbers are the figures for the record, beside those of the load. Shares are in percent. Those of a second are the
// median over the whole seconds before and after the publish, and over the seconds that it touched, from the batch's
// start to its end or to the swap, whichever is later; a span without a second has no such number. After a run in
// which the version did not change there are none of what came after.
func (s Swap) Numbers() map[string]float64 {
	numbers := loadNumbers(s.Report)
	for name, value := range map[string]float64{
		"longest_wait_ms":        s.Report.LongestWait,
		"answers_old":            float64(s.Report.Versions[s.From]),
		"answers_new":            float64(s.Report.Versions[s.To]),
		"wrong_answers":          float64(s.wrong()),
		"pairs_lost_percent":     s.Pairs.percent(s.Pairs.Lost),
		"pairs_rescored_percent": s.Pairs.percent(s.Pairs.Rescored),
		"publish_exit_status":    float64(s.Publish.Exit),
		"publish_at_s":           s.Publish.BeganAt,
		"publish_seconds":        s.Publish.EndedAt - s.Publish.BeganAt,
	} {
		numbers[name] = value
	}
	before, first, after := s.phases()
	addShares(numbers, "before", before)
	published := s.Publish.EndedAt
	if s.After.At > 0 {
		numbers["swap_at_s"] = s.After.At
		addShares(numbers, "after", after)
		if s.Settled.At > 0 {
			addShares(numbers, "first_second", first)
		}
		published = max(published, s.After.At)
		s.addSeconds(numbers, "after", published, math.Inf(1), false)
	}
	s.addSeconds(numbers, "before", 0, s.Publish.BeganAt, false)
	s.addSeconds(numbers, "during", s.Publish.BeganAt, published, true)
	return numbers
}

func (m Moved) percent(part int) float64 { return 100 * share(int64(part), int64(m.All)) }

func addShares(numbers map[string]float64, name string, one Measured) {
	numbers[name+"_bloom_share_percent"] = 100 * one.BloomShare()
	numbers[name+"_cache_share_percent"] = 100 * one.CacheShare()
	numbers[name+"_db_share_percent"] = 100 * one.DBShare()
	numbers[name+"_reads_percent"] = 100 * one.ReadShare()
}

// addSeconds adds the medians over the seconds that lie in a span as a whole, or that are touched by it.
func (s Swap) addSeconds(numbers map[string]float64, name string, from, to float64, touched bool) {
	var rates, tails []float64
	for _, second := range s.whole() {
		start, end := float64(second.Second-1), float64(second.Second)
		if touched && end > from && start < to || !touched && start >= from && end <= to {
			rates, tails = append(rates, float64(second.OK)), append(tails, second.P99)
		}
	}
	if len(rates) == 0 {
		return
	}
	numbers[name+"_requests_per_second"] = median(rates)
	numbers[name+"_latency_p99_ms"] = median(tails)
}

// whole are the seconds that lie in the measured phase as a whole. The last answers come a moment after its end.
func (s Swap) whole() []load.Second {
	length := int(s.Report.Config.Duration.Seconds())
	return slices.DeleteFunc(slices.Clone(s.Report.Timeline), func(second load.Second) bool {
		return second.Second > length
	})
}

func (s Swap) wrong() (count int64) {
	for _, kind := range s.Report.Errors {
		if kind.Kind == load.WrongAnswer {
			count += kind.Count
		}
	}
	return count
}

// median of one number or more; it sorts them.
func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
