package lab

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/console"
	"example.com/relevance-lab/shared/load"
)

// Comparison is an experiment's measurements side by side.
type Comparison struct {
	Baseline Measured   `json:"baseline"`
	Variants []Measured `json:"variants"`
}

// Err tells why the measurements do not compare, as Measured.Err does of each; nil where they do.
func (c Comparison) Err() error {
	var failed []error
	for _, one := range c.all() {
		failed = append(failed, one.Err())
	}
	return errors.Join(failed...)
}

// Numbers are the figures of all that was measured, by their names in the record: db_reads is the first variant's, and
// another's stands behind its key, as in baseline_db_reads.
func (c Comparison) Numbers() map[string]float64 {
	numbers := map[string]float64{}
	for _, one := range c.all() {
		prefix := one.Key
		if prefix != "" {
			prefix += "_"
		}
		for name, value := range loadNumbers(one.Report) {
			numbers[prefix+name] = value
		}
	}
	return numbers
}

func (c Comparison) all() []Measured { return append([]Measured{c.Baseline}, c.Variants...) }

// last are the two that the column of changes speaks of.
func (c Comparison) last() (from, to Measured) {
	all := c.all()
	return all[len(all)-2], all[len(all)-1]
}

// config is what was set, for the record.
func (c Comparison) config(size load.Config) map[string]any {
	config := sizeOf(size)
	for _, one := range c.all() {
		config["server "+one.Name] = one.server().Settings // as the server itself says
	}
	return config
}

// line is one line of the table: a figure of each run, how it is written, and how its change is.
type line struct {
	name   string
	of     func(Measured) float64
	write  func(float64) string
	change func(from, to float64) string
}

var lines = []line{
	{"Bloom said no", Measured.BloomShare, percent, points},
	{"cache hits", Measured.CacheShare, percent, points},
	{"read from db", Measured.DBShare, percent, factor},
	{"degraded", Measured.DegradedShare, percent, points},
	{"requests with a read", Measured.ReadShare, percent, factor},
	{"batched reads", Measured.reads, whole, noChange}, // a count grows with the requests: the share above compares
	{"requests that waited", Measured.WaitedShare, percent, factor},
	{"requests per second", func(m Measured) float64 { return m.Report.PerSecond }, whole, factor},
	{"client latency p50, ms", func(m Measured) float64 { return m.Report.Latency.P50 }, millis, factor},
	{"client latency p99, ms", func(m Measured) float64 { return m.Report.Latency.P99 }, millis, factor},
	{"server latency p50, ms", func(m Measured) float64 { return m.server().Latency.P50 }, millis, factor},
	{"server latency p99, ms", func(m Measured) float64 { return m.server().Latency.P99 }, millis, factor},
	{"failed requests", func(m Measured) float64 { return float64(m.Report.Failed) }, whole, noChange},
}

// seldom are the lines that are left out where all figures read as zero.
var seldom = map[string]bool{"degraded": true, "requests that waited": true}

// Table lays out the figures: baseline, what was changed, and the change between the last two.
func (c Comparison) Table() string {
	head := []string{""}
	for _, one := range c.all() {
		head = append(head, strings.ReplaceAll(one.Name, " ", "\n"))
	}
	head = append(head, "change")
	from, to := c.last()
	var rows [][]string
	for _, line := range lines {
		row, any := []string{line.name}, false
		for _, one := range c.all() {
			figure := line.of(one)
			any = any || line.write(figure) != line.write(0)
			row = append(row, line.write(figure))
		}
		if any || !seldom[line.name] {
			rows = append(rows, append(row, line.change(line.of(from), line.of(to))))
		}
	}
	table := console.Table(head, rows)
	if len(c.Variants) > 1 {
		table += fmt.Sprintf("change: from %s to %s\n", from.Name, to.Name)
	}
	return table
}

// places are where a lookup can end, and the look of each in a bar.
var places = []struct {
	name  string
	share func(Measured) float64
	look  console.Look
}{
	{"Bloom said no", Measured.BloomShare, console.Light},
	{"cache hits", Measured.CacheShare, console.Medium},
	{"read from db", Measured.DBShare, console.Dark},
	{"degraded", Measured.DegradedShare, console.Alarm},
}

// shortestBar is the least number of columns in which the parts of a bar can be told apart.
const shortestBar = 20

// Bars draws where the lookups of each run ended. On a terminal that is too narrow for a name beside a bar, the name
// stands above it.
func (c Comparison) Bars(style console.Style) string {
	name := 0
	for _, one := range c.all() {
		name = max(name, utf8.RuneCountInString(one.Name))
	}
	const figures = len("  100/100/100%")
	columns := min(style.Width, 100)
	width := columns - name - len("  ") - figures
	above := width < shortestBar
	if above {
		name, width = 0, columns-figures
	}
	var drawn strings.Builder
	drawn.WriteString("where lookups ended\n")
	degraded := false
	for _, one := range c.all() {
		var parts []console.Part
		var shares []string
		for _, place := range places {
			part := place.share(one)
			parts = append(parts, console.Part{Share: part, Look: place.look})
			if place.look != console.Alarm || percent(part) != percent(0) {
				shares = append(shares, strings.TrimSuffix(percent(part), "%"))
			}
		}
		degraded = degraded || percent(one.DegradedShare()) != percent(0)
		if above {
			fmt.Fprintln(&drawn, one.Name)
		} else {
			fmt.Fprintf(&drawn, "%-*s  ", name, one.Name)
		}
		fmt.Fprintf(&drawn, "%s  %s%%\n", style.Bar(width, parts...), strings.Join(shares, "/"))
	}
	legend, legendColumns := []string{}, 0
	for _, place := range places {
		if place.look != console.Alarm || degraded {
			legend = append(legend, style.Sample(place.look)+" "+place.name)
			legendColumns += len("x ") + len(place.name) + len("   ")
		}
	}
	indent := max(0, min(name+len("  "), style.Width-legendColumns)) // below the bars, where it fits
	fmt.Fprintf(&drawn, "%*s%s\n", indent, "", strings.Join(legend, "   "))
	return drawn.String()
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

func whole(number float64) string { return humanize.Comma(int64(math.Round(number))) }

func millis(value float64) string {
	if value >= 10 {
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

// points is the change of a share. One that does not show in whole percents is none.
func points(from, to float64) string {
	difference := math.Round(100*to) - math.Round(100*from)
	switch {
	case difference == 0:
		return "="
	case math.Abs(difference) == 1:
		return fmt.Sprintf("%+.0f point", difference)
	}
	return fmt.Sprintf("%+.0f points", difference)
}

// factor is the change as a ratio, where there is one.
func factor(from, to float64) string {
	if from == 0 || to == 0 {
		if from == to {
			return "="
		}
		return ""
	}
	ratio := to / from
	switch {
	case ratio > 0.95 && ratio < 1.05:
		return "about the same"
	case ratio >= 10:
		return fmt.Sprintf("x %.0f", ratio)
	case ratio >= 0.1:
		return fmt.Sprintf("x %.2f", ratio)
	}
	return fmt.Sprintf("x %.3f", ratio)
}

func noChange(float64, float64) string { return "" }
