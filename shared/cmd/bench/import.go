package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/relevance-lab/shared/store/sqlite"
)

// importer runs the sqlite3 command line: the fastest way to fill a table that one can type.
type importer struct {
	dir    string
	script string
}

// newImporter writes the file of rows and finds out, by letting both sides write it once, that they write the same.
func newImporter(ctx context.Context, dir string) (*importer, error) {
	if _, err := exec.LookPath("sqlite3"); err != nil {
		return nil, errors.New("there is no sqlite3 command to compare with; " +
			"install it (Debian, Ubuntu: apt-get install sqlite3)")
	}
	want, err := writeRowsFile(ctx, filepath.Join(dir, rowsFile))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, rowsFile))
	if err != nil {
		return nil, err
	}
	ours := filepath.Join(dir, "ours.db")
	if _, err := sqlite.Create(ctx, ours, parse(string(text))); err != nil {
		return nil, err
	}
	definition, err := inspect(ctx, ours, want)
	if err != nil {
		return nil, err
	}
	// The same table, and the settings that store/sqlite writes with. Tabs are parsed faster than CSV.
	i := &importer{dir: dir, script: "PRAGMA page_size=8192; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;\n" +
		definition + ";\n.mode tabs\n.import " + rowsFile + " scores\n"}
	if _, err := i.fill(ctx, "theirs.db"); err != nil {
		return nil, err
	}
	_, err = inspect(ctx, filepath.Join(dir, "theirs.db"), want)
	return i, err
}

// inspect returns the table's definition in a database, which must hold so many rows.
func inspect(ctx context.Context, path string, want int) (definition string, err error) {
	db, err := sqlite.Open(path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	count, err := db.Count(ctx)
	if err != nil {
		return "", err
	}
	if count != want {
		return "", fmt.Errorf("%s holds %d rows instead of %d", path, count, want)
	}
	err = db.Gorm().Raw("SELECT sql FROM sqlite_schema WHERE name = 'scores'").Scan(&definition).Error
	return definition, err
}

// run measures one import, in seconds.
func (i *importer) run(ctx context.Context) (float64, error) {
	defer os.Remove(filepath.Join(i.dir, "imported.db"))
	return i.fill(ctx, "imported.db")
}

func (i *importer) fill(ctx context.Context, file string) (seconds float64, err error) {
	command := exec.CommandContext(ctx, "sqlite3", "-bail", "-batch", "-init", os.DevNull, file)
	command.Dir = i.dir // so that no path has to be quoted for sqlite3
	command.Stdin = strings.NewReader(i.script)
	return timed(command)
}
