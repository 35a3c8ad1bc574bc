package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/load"
)

// Tell shows the load second by second, where lookups ended before and after the swap, and what there is to observe.
func (s Swap) Tell(setup Setup, observed ...string) {
	out := setup.Terminal
	style := console.StyleOf(out)
	fmt.Fprintf(out, "\n%s\n", s.Seconds(style))
	if s.After.At > 0 {
		fmt.Fprintf(out, "%s\n", s.Phases(style))
	}
	for _, sentence := range observed {
		fmt.Fprintln(out, wrap(out, "-> "+sentence))
	}
}

// barColumns is the length of the longest bar. With the marks of the fullest second a row has 80 columns.
const barColumns = 12

// Seconds lays out the load second by second: the version that the API served, the rate as a figure and as a bar, the
// 99th percentile of the latency, and what happened in that second.
func (s Swap) Seconds(style console.Style) string {
	seconds := s.whole()
	most, widest := int64(1), 0
	for _, second := range seconds {
		most = max(most, second.OK)
		widest = max(widest, len(s.marks(second)))
	}
	var rows [][]string
	for _, second := range seconds {
		part := console.Part{Share: float64(second.OK) / float64(most), Look: console.Dark}
		rows = append(rows, []string{
			fmt.Sprintf("%6d", second.Second), s.serves(second.Second), whole(float64(second.OK)),
			fmt.Sprintf("%.1f", second.P99),
			text.Pad(style.Bar(barColumns, part), barColumns, ' ') + fmt.Sprintf("  %-*s", widest, s.marks(second)),
		})
	}
	return console.Table([]string{"second", "serves", "req/s", "p99 ms", ""}, rows)
}

// serves is the version that answered in a second; 1 is the first.
func (s Swap) serves(second int) string {
	switch at := s.After.At; {
	case at == 0 || at >= float64(second):
		return string(s.From)
	case at > float64(second-1):
		return "both"
	}
	return string(s.To)
}

// event is something that happened at a time of the measured phase, in seconds; zero is never.
type event struct {
	at   float64
	what string
}

// marks says what happened in a second, in its order.
func (s Swap) marks(second load.Second) string {
	events := []event{
		{s.Publish.BeganAt, "batch starts"}, {s.Publish.EndedAt, "batch ends"}, {s.After.At, "swap"},
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	var marks []string
	for _, event := range events {
		if event.at > 0 && int(event.at)+1 == second.Second {
			marks = append(marks, event.what)
		}
	}
	if second.Errors > 0 {
		marks = append(marks, whole(float64(second.Errors))+" failed")
	}
	return strings.Join(marks, ", ")
}

// shares are the lines of a comparison that phases of unequal length can be compared by.
var shares = []string{"Bloom said no", "cache hits", "read from db", "degraded", "requests with a read"}

// Phases lays out where lookups ended before and after the swap, as a table and as bars.
func (s Swap) Phases(style console.Style) string {
	before, first, after := s.phases()
	var rows [][]string
	for _, line := range lines {
		from, to := line.of(before), line.of(after)
		if slices.Contains(shares, line.name) && (from != 0 || to != 0) {
			rows = append(rows, []string{
				line.name, line.write(from), line.write(line.of(first)), line.write(to), line.change(from, to),
			})
		}
	}
	head := []string{"", "before\nthe swap", "first second\nafter it", "all\nafter it", "change"}
	bars := Comparison{Baseline: before, Variants: []Measured{first, after}}.Bars(style)
	return console.Table(head, rows) + "\n" + bars
}
