package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"example.com/relevance-lab/shared/store"
)

// pragmas suit a file that nobody else sees and that is thrown away after any error: no journal to roll back with,
// and no flush before the one at the end. Pages of 8 KiB are split half as often as the usual 4 KiB.
var pragmas = []string{"PRAGMA page_size = 8192", "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF"}

// Create writes rows to a new file at path and returns how many there were. The rows come sorted by ASIN and then by
// creative, as bytes compare, each pair once. When Create returns, the file is on the disk. The same rows give the
// same bytes, as long as the driver stays the same.
//
// After an error, or when ctx ends, there is no file. A file that exists already is an error and stays as it is.
func Create(ctx context.Context, path string, rows iter.Seq[store.Row]) (count int, err error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return 0, fmt.Errorf("create %s: %w", path, err)
	}
	// An empty file is a new database to SQLite; O_EXCL makes sure that it is new.
	file, err := os.OpenFile(absolute, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, fmt.Errorf("create database file: %w", err)
	}
	complete := false
	defer func() {
		// Closing comes last: it would drop the lock that SQLite holds on the file.
		if closing := file.Close(); err == nil && closing != nil {
			complete, err = false, closing
		}
		if !complete {
			_ = os.Remove(absolute)
		}
	}()

	if count, err = write(ctx, absolute, rows); err == nil {
		err = file.Sync()
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", absolute, err)
	}
	complete = true
	return count, nil
}

// write lets gorm make the table, and fills it through the connection beneath gorm.
func write(ctx context.Context, absolute string, rows iter.Seq[store.Row]) (count int, err error) {
	described, beneath, err := open(uri(absolute, "mode=rw"+unshared))
	if err != nil {
		return 0, err
	}
	defer func() { err = first(err, beneath.Close()) }()
	beneath.SetMaxOpenConns(1) // pragmas belong to a connection

	for _, pragma := range pragmas {
		if err := described.Exec(pragma).Error; err != nil {
			return 0, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	if err := migrate(described); err != nil {
		return 0, fmt.Errorf("make the table: %w", err)
	}
	conn, err := beneath.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = first(err, conn.Close()) }()
	err = conn.Raw(func(driverConn any) error {
		count, err = insert(ctx, driverConn.(driver.Conn), rows)
		return err
	})
	return count, err
}

// first returns the error that came first: what failed, not what failed because of it.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
