package console

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table lays out rows below a head. The first column is aligned left, the others right. An empty row is left empty.
// Every line ends with a line feed and none with a blank.
func Table(head []string, rows [][]string) string {
	layout := table.NewWriter()
	layout.SetStyle(columnsOnly)
	layout.AppendHeader(cells(head))
	var configs []table.ColumnConfig
	for i := range head {
		align := text.AlignRight
		if i == 0 {
			align = text.AlignLeft
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	layout.SetColumnConfigs(configs)
	for _, row := range rows {
		layout.AppendRow(cells(row))
	}
	var lines strings.Builder
	for line := range strings.Lines(layout.Render() + "\n") {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return lines.String()
}

// columnsOnly is a table without lines: two blanks between its columns.
var columnsOnly = table.Style{
	Name:    "columns",
	Box:     table.BoxStyle{PaddingRight: "  "},
	Format:  table.FormatOptions{Header: text.FormatDefault},
	Options: table.OptionsNoBordersAndSeparators,
}

func cells(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, one := range texts {
		row[i] = one
	}
	return row
}
