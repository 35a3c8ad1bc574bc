package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

// insert writes all rows in one transaction, many a statement.
func insert(ctx context.Context, conn driver.Conn, rows iter.Seq[store.Row]) (count int, err error) {
	if err := execute(conn, "BEGIN"); err != nil {
		return 0, err
	}
	batch := newInserts(conn)
	defer func() { err = first(err, batch.close()) }()
	var last store.Row
	for row := range rows {
		if count > 0 && !before(last, row) {
			return 0, fmt.Errorf("rows are not sorted, or one comes twice: (%q, %q) after (%q, %q)",
				row.ASIN, row.Creative, last.ASIN, last.Creative)
		}
		if row.Score > world.MaxScore {
			return 0, fmt.Errorf("the score %v of (%q, %q) is more than 1", row.Score, row.ASIN, row.Creative)
		}
		last = row
		count++
		if batch.add(row) {
			if err := batch.flush(ctx); err != nil {
				return 0, err
			}
		}
	}
	if err := batch.flush(ctx); err != nil {
		return 0, err
	}
	return count, execute(conn, "COMMIT")
}

func before(a, b store.Row) bool {
	if a.ASIN != b.ASIN {
		return a.ASIN < b.ASIN
	}
	return a.Creative < b.Creative
}

// inserts gathers rows until they fill a statement. Values are boxed once where they repeat: an ASIN for all of its
// rows, and each of the thousand scores for the whole file.
type inserts struct {
	conn   driver.Conn
	full   driver.Stmt // for rowsPerInsert rows
	args   []driver.NamedValue
	filled int
	asin   string
	boxed  driver.Value // asin
	scores [world.MaxScore + 1]driver.Value
}

func newInserts(conn driver.Conn) *inserts {
	b := &inserts{conn: conn, args: make([]driver.NamedValue, 3*rowsPerInsert), boxed: ""}
	for i := range b.args {
		b.args[i].Ordinal = i + 1
	}
	for i := range b.scores {
		b.scores[i] = world.Score(i).Float()
	}
	return b
}

// add reports whether the statement is full.
func (b *inserts) add(row store.Row) (full bool) {
	if row.ASIN != b.asin {
		b.asin, b.boxed = row.ASIN, row.ASIN
	}
	at := b.args[b.filled:]
	at[0].Value, at[1].Value, at[2].Value = b.boxed, row.Creative, b.scores[row.Score]
	b.filled += 3
	return b.filled == len(b.args)
}

func (b *inserts) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil || b.filled == 0 {
		return err
	}
	args := b.args[:b.filled]
	b.filled = 0
	if len(args) == len(b.args) {
		if b.full == nil {
			statement, err := b.prepare(rowsPerInsert)
			if err != nil {
				return err
			}
			b.full = statement
		}
		return run(b.full, args)
	}
	rest, err := b.prepare(len(args) / 3)
	if err != nil {
		return err
	}
	return first(run(rest, args), rest.Close())
}

func (b *inserts) prepare(rows int) (driver.Stmt, error) {
	return b.conn.Prepare("INSERT INTO scores (asin, creative, score) VALUES " +
		strings.TrimSuffix(strings.Repeat("(?,?,?),", rows), ","))
}

func (b *inserts) close() error {
	if b.full == nil {
		return nil
	}
	return b.full.Close()
}

// run asks for the rows of a statement that has none. Through cgo this crosses into C twice, to bind and step and to
// reset; executing it would cross once for each value.
func run(statement driver.Stmt, args []driver.NamedValue) error {
	rows, err := statement.(driver.StmtQueryContext).QueryContext(context.Background(), args)
	if err != nil {
		return err
	}
	if err := rows.Next(nil); !errors.Is(err, io.EOF) {
		return first(err, rows.Close(), errors.New("an INSERT returned rows"))
	}
	return rows.Close()
}

func execute(conn driver.Conn, statement string) error {
	if _, err := conn.(driver.ExecerContext).ExecContext(context.Background(), statement, nil); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
