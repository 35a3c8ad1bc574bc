package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"example.com/relevance-lab/shared/world"
)

// reader is a connection of its own with the statements that it has prepared so far. One goroutine uses it at a time,
// so arguments and row are kept and filled again.
type reader struct {
	conn       driver.Conn
	statements [chunk + 1]driver.Stmt // by the number of keys
	args       [1 + chunk]driver.NamedValue
	row        [chunk]driver.Value
}

func newReader(from driver.Driver, source string, cacheKiB int) (*reader, error) {
	conn, err := from.Open(source)
	if err != nil {
		return nil, err
	}
	if err := execute(conn, fmt.Sprintf("PRAGMA cache_size = -%d", cacheKiB)); err != nil {
		return nil, first(err, conn.Close())
	}
	r := &reader{conn: conn}
	for i := range r.args {
		r.args[i].Ordinal = i + 1
	}
	return r, nil
}

// scores reads at most chunk creatives with one statement.
func (r *reader) scores(asin string, creatives []string, into []world.Score) (found int, err error) {
	keys := slots(len(creatives))
	statement, err := r.prepared(keys)
	if err != nil {
		return 0, err
	}
	r.args[0].Value = asin
	for i, creative := range creatives {
		r.args[1+i].Value = creative
	}
	for i := len(creatives); i < keys; i++ {
		r.args[1+i].Value = nil // NULL equals nothing
	}
	row := r.row[:keys]
	if err := only(statement, r.args[:1+keys], row); err != nil {
		return 0, err
	}
	for i, creative := range creatives {
		into[i] = 0
		if row[i] == nil {
			continue
		}
		score, ok := row[i].(float64)
		if !ok || !(score >= 0 && score <= 1) {
			return 0, fmt.Errorf("the score %v of (%q, %q) is not between 0 and 1", row[i], asin, creative)
		}
		into[i] = world.ScoreOf(score)
		found++
	}
	return found, nil
}

// slots rounds a number of keys up to one that gets a statement, so that a connection keeps only a dozen. Most reads
// ask for a few keys; those are not rounded.
func slots(keys int) int {
	if keys <= 8 {
		return keys
	}
	for _, size := range [...]int{16, 32, 64} {
		if keys <= size {
			return size
		}
	}
	return chunk
}

func (r *reader) prepared(keys int) (driver.Stmt, error) {
	if r.statements[keys] == nil {
		statement, err := r.conn.Prepare(BatchedRead(keys))
		if err != nil {
			return nil, err
		}
		r.statements[keys] = statement
	}
	return r.statements[keys], nil
}

// only reads the one row that a statement answers with. The context is one that cannot end: for any other the driver
// keeps watch with a goroutine.
func only(statement driver.Stmt, args []driver.NamedValue, row []driver.Value) error {
	rows, err := statement.(driver.StmtQueryContext).QueryContext(context.Background(), args)
	if err != nil {
		return err
	}
	err = first(rows.Next(row), rows.Close())
	if errors.Is(err, io.EOF) {
		return errors.New("a batched read gave no row")
	}
	return err
}

func (r *reader) close() error {
	var err error
	for _, statement := range r.statements {
		if statement != nil {
			err = first(err, statement.Close())
		}
	}
	return first(err, r.conn.Close())
}
